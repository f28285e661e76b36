#!/bin/sh
# Proves the rules of the book: sh proofs/check.sh [rules.txt]. Installs nothing; what is made lies in this folder, and what is newer
# than all that it needs is not proved again. JOBS=1 keeps one core free. With --packages it only says whether all is there.
set -e
need="coq libcoq-mathcomp-ssreflect libcoq-mathcomp-fingroup libcoq-mathcomp-algebra libcoq-mathcomp-algebra-tactics libcoq-mathcomp-zify"
missing=""
for package in $need; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok' || missing="$missing $package"
done
if [ -n "$missing" ]; then echo "To check the proofs, install these Debian packages:$missing" >&2; exit 3; fi
if [ "$1" = --packages ]; then exit 0; fi
book=$(realpath "${1:-$(dirname "$0")/../src/privpac/checker/rules.txt}")
cd "$(dirname "$0")"
python3 book_to_coq.py "$book"
if grep -nE '\b(Admitted|admit|give_up|Axiom|Axioms|Parameter|Parameters|Conjecture|Hypothesis Axiom|Unset Guard|bypass_check)\b' *.v; then
    echo "FAILED: something is left open" >&2; exit 1
fi
coqdep -Q . Book *.v > .needs 2> /dev/null
cat >> .needs <<'MAKE'
%.vo %.glob: %.v
	@timeout $${LIMIT:-900} nice -n 2 coqc -w none -Q . Book $< > $*.out 2>&1 || { cat $*.out >&2; echo "FAILED in $<" >&2; exit 1; }
MAKE
rm -f Claims.vo
env -u MAKEFLAGS -u MFLAGS make --no-print-directory --jobs="${JOBS:-2}" --file=.needs Claims.vo > /dev/null
claims=$(grep -c '^Print Assumptions' Claims.v)
closed=$(grep -c '^Closed under the global context' Claims.out || true)
test "$claims" = "$closed" || { echo "FAILED: $closed of $claims statements are without axioms" >&2; exit 1; }
echo "$(grep -c '^Check (fun' Claims.v) rules of this book are proved, without axioms, and what stands beside it"
