"""What a person needs to write a learner or a class of concepts, or to state a theorem, outside of this package.

Privacy is proved by the shipped `rules`, and by nothing else. A `Theorem` of your own answers how many records an
error needs; its `proof` is refused, because no rule book knows it.
"""

from privpac.audit.exact import audit
from privpac.coins import Coins
from privpac.concepts.base import AnyNumber, ConceptClass, Hypothesis, ScoredGibbs
from privpac.concepts.line.stumps import Constant
from privpac.concepts.line.thresholds import Threshold
from privpac.concepts.sets.points import Point
from privpac.constructions.cases import learner_case, tiny_schema
from privpac.constructions.draw.occam import Occam
from privpac.constructions.own import OwnLearner as Learner
from privpac.constructions.own import counted
from privpac.constructions.request import Request
from privpac.data.grid_counts import GridCounts
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.guarantee import rules
from privpac.guarantee.facts import Accuracy, Privacy
from privpac.guarantee.proof import Proof, need
from privpac.guarantee.theorem import AccuracyBound, ErrorBound, PrivacyBound, Theorem
from privpac.mechanisms.geometric import add_noise
from privpac.mechanisms.scores import Listed
from privpac.numbers.exact import ball, ratio_for

__all__ = [
    "Accuracy",
    "AccuracyBound",
    "AnyNumber",
    "Coins",
    "ConceptClass",
    "Constant",
    "ErrorBound",
    "GridCounts",
    "Hypothesis",
    "Learner",
    "Listed",
    "Occam",
    "Point",
    "Privacy",
    "PrivacyBound",
    "Proof",
    "Request",
    "Sample",
    "Schema",
    "ScoredGibbs",
    "Size",
    "Theorem",
    "Threshold",
    "add_noise",
    "audit",
    "ball",
    "counted",
    "learner_case",
    "need",
    "ratio_for",
    "rules",
    "tiny_schema",
]
