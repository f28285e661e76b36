"""Cards of points: how many points a record has, and what risk a sum of points means."""
