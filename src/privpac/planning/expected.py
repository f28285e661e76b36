"""What to expect of the rule that a question asks about, beside what is proved of it (`report.forecast`)."""

from __future__ import annotations

from privpac.constructions.estimates.share import left_for_rule
from privpac.planning.question import Question
from privpac.report.forecast import FEW_LABELS, Asked, Forecast, NoForecast, forecast

__all__ = ["expected_of"]


def expected_of(question: Question) -> Forecast | NoForecast | None:
    """The forecast for the records and the epsilon at hand, of which a rule leaves a share to the counts behind its
    verdict and a card none; None where one of them, or the table, is not known."""
    schema = question.schema
    if (
        question.invented
        or question.asked.records is None
        or question.asked.epsilon is None
        or question.asked.release
    ):
        return None
    if question.asked.unlabelled:
        return FEW_LABELS
    records, epsilon = question.asked.records, question.asked.epsilon
    asked = Asked(
        question.card or question.asked.concepts,
        schema,
        records,
        epsilon,
        epsilon if question.card else left_for_rule(records, epsilon),
        protect=question.asked.protect,
        delta=question.asked.delta,
    )
    return forecast(asked, question.asked.attainable)
