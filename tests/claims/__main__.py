"""Write the numbers anew; with `--new`, only those of subjects that have none yet."""

import sys

from tests.claims.table import write

write(only_new="--new" in sys.argv[1:])
