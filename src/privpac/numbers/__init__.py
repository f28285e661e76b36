"""Exact arithmetic: outward rounding, certified tables and sums, reading numbers, searches."""
