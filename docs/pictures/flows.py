"""Constructions as boxes and arrows: who goes where, and what comes out."""

from __future__ import annotations

from collections.abc import Callable

from docs.pictures.sheet import BLUE, GREEN, GREY, ORANGE, PALE, PURPLE, Sheet, flow

__all__ = ["FLOWS"]

ALL = "n records"


def points_sampled() -> Sheet:
    return flow(
        "Most records become stars, the others tilt a random set",
        [(ALL, GREY)],
        [("each becomes a star ✱\nexcept with probability p", PALE)],
        [("something seen:\na set that favours it", ORANGE), ("nothing seen:\na plain random set", PALE)],
        [("released set", GREEN)],
    )


def blocks() -> Sheet:
    return flow(
        "Only blocks that hold records offer a cut",
        [("2^d cuts\nn records", GREY)],
        [
            ("halve again and again:\noccupied blocks offer\ntheir middles", BLUE),
            ("a blank,\nstaked high", PALE),
        ],
        [("one draw: many records\nin the block, few\nmistakes in its middle", ORANGE)],
        [("a cut,\nor no answer", GREEN)],
    )


def rec_concave() -> Sheet:
    return flow(
        "How wide, which block, which cut",
        [("2^d cuts\nn records", GREY)],
        [("how wide?\none of d powers of two\ndrawn", ORANGE)],
        [("which block?\nonly if its lead\nis clear", BLUE)],
        [("which cut near it?\na handful\ndrawn", ORANGE)],
        [("a cut,\nor no answer", GREEN)],
        gap=34,
    )


def generic_learner() -> Sheet:
    return flow(
        "Unlabelled records are sanitised, labels draw",
        [("unlabelled\nrecords", GREY), ("labelled\nrecords", ORANGE)],
        [("synthetic points\n(private)", PALE), ("mistakes of\neach rule", PALE)],
        [("one rule for each\nlabelling of them", PALE), ("private draw", BLUE)],
        [("released rule", GREEN)],
    )


def label_boost() -> Sheet:
    return flow(
        "A labelling of all points is drawn, then learnt from",
        [("labelled", ORANGE), ("unlabelled", GREY)],
        [("a random part", PALE), ("a random part", PALE)],
        [("all labellings\nof these points;\none is drawn", BLUE)],
        [("every point\nhas a label", PALE)],
        [("private learner", BLUE)],
        [("released rule", GREEN)],
        gap=34,
    )


def ssl_relabel() -> Sheet:
    return flow(
        "Labelled records only vote",
        [("labelled:\nthey vote", ORANGE), ("unlabelled:\na random part", GREY)],
        [("labels for the\nunlabelled points", BLUE)],
        [("private learner", BLUE)],
        [("released rule", GREEN)],
    )


def active() -> Sheet:
    return flow(
        "A random part is kept, a random part of it is asked",
        [("t records\nno labels", GREY)],
        [("n kept\n(secret)", PALE)],
        [("m asked for\ntheir labels", ORANGE), ("the others,\nwithout labels", GREY)],
        [("private learner\nat a larger ε", BLUE)],
        [("released rule", GREEN)],
    )


def subsampling() -> Sheet:
    return flow(
        "k of n records, shuffled",
        [(ALL, GREY)],
        [("k of them,\nshuffled,\nnobody knows who", PALE)],
        [("learner\nat E", BLUE)],
        [("rule, at\nln(1 + (k/n)(e^E − 1))", GREEN)],
    )


def resampling() -> Sheet:
    return flow(
        "Independent draws with repeats",
        [("a table of N", GREY)],
        [("m draws,\nwith repeats", PALE)],
        [("learner with a promise\nfor any distribution", BLUE)],
        [("rule with a promise\nfor this table", GREEN)],
    )


def confidence() -> Sheet:
    return flow(
        "Blocks answer, further records pick",
        [("block 1", GREY), ("block 2", GREY), ("block 3", GREY), ("held out", ORANGE)],
        [("rule 1", PALE), ("rule 2", PALE), ("rule 3", PALE), ("mistakes", PALE)],
        [("private pick", BLUE)],
        [("released rule", GREEN)],
    )


def relabelling() -> Sheet:
    return flow(
        "Most records vote, a few are learnt from",
        [("n − k records:\nthey vote", ORANGE), ("k records:\nlabels thrown away", GREY)],
        [("a labelling of the k\nis drawn", BLUE)],
        [("learner of\nclean labels", BLUE)],
        [("released rule", GREEN)],
    )


def stable() -> Sheet:
    return flow(
        "A few records list rules, all records draw one",
        [("k random\nrecords", ORANGE), ("all n records", GREY)],
        [("one rule for each\nlabelling of the k", PALE), ("mistakes of\neach of them", PALE)],
        [("one draw", BLUE)],
        [("rule that no single\nrecord moves by much", GREEN)],
    )


def vote() -> Sheet:
    return flow(
        "Blocks, models, votes, one answer",
        [("block 1", GREY), ("block 2", GREY), ("block 3", GREY)],
        [("model 1", PALE), ("model 2", PALE), ("model 3", PALE)],
        [("votes on\na question", ORANGE)],
        [("noisy\nmajority", BLUE)],
        [("an answer", GREEN)],
    )


def fresh_draws() -> Sheet:
    return flow(
        "All anew for every question",
        [("a question", ORANGE), (ALL, GREY)],
        [("one rule for each\nlabelling of k\nrandom records", PALE)],
        [("one drawn\nby the mistakes\nof all", BLUE)],
        [("its answer,\nsometimes\nturned round", BLUE)],
        [("an answer", GREEN)],
        gap=34,
    )


def relabelled_vote() -> Sheet:
    return flow(
        "Relabelling, then a vote",
        [("n − k records", ORANGE), ("k records", GREY)],
        [("labels for the k,\nvoted by the others", BLUE)],
        [("block 1", PALE), ("block 2", PALE), ("block 3", PALE)],
        [("noisy\nmajority", BLUE)],
        [("an answer", GREEN)],
    )


def net_relabelled() -> Sheet:
    return flow(
        "One drawn rule labels everything",
        [(ALL, GREY)],
        [("a rule drawn\nby mistakes", BLUE)],
        [("all records,\nwith its labels", PALE)],
        [("block 1", PALE), ("block 2", PALE), ("block 3", PALE)],
        [("noisy majority,\nsometimes flipped", BLUE)],
        [("an answer", GREEN)],
        gap=34,
    )


def composition() -> Sheet:
    sheet = Sheet(640, 190, "Sums on the same records, the largest on different ones")
    sheet.box(20, 20, "all records", fill=GREY, width=180)
    for number, price in enumerate(("ε = 0.3", "ε = 0.2")):
        sheet.box(20 + 95 * number, 90, price, fill=ORANGE if number else PURPLE, width=85)
        sheet.arrow((62 + 95 * number, 53), (62 + 95 * number, 87))
    sheet.words(110, 150, "together 0.5", bold=True)
    sheet.note(110, 170, "one after the other")
    for number, price in enumerate(("ε = 0.3", "ε = 0.2")):
        sheet.box(240 + 95 * number, 20, f"part {number + 1}", fill=GREY, width=85)
        sheet.box(240 + 95 * number, 90, price, fill=ORANGE if number else PURPLE, width=85)
        sheet.arrow((282 + 95 * number, 53), (282 + 95 * number, 87))
    sheet.words(330, 150, "together 0.3", bold=True)
    sheet.note(330, 170, "parts share no record")
    sheet.box(460, 20, "a released rule", fill=GREEN, width=160)
    sheet.box(460, 90, "SQL, report,\npredictions", width=160)
    sheet.arrow((540, 53), (540, 87))
    sheet.words(540, 158, "free", bold=True)
    sheet.note(540, 176, "post-processing")
    return sheet


FLOWS: dict[str, Callable[[], Sheet]] = {
    "points-sampled": points_sampled,
    "blocks": blocks,
    "rec-concave": rec_concave,
    "generic-learner": generic_learner,
    "label-boost": label_boost,
    "ssl-relabel": ssl_relabel,
    "active": active,
    "subsampling": subsampling,
    "resampling": resampling,
    "confidence": confidence,
    "relabelling": relabelling,
    "stable": stable,
    "vote": vote,
    "fresh-draws": fresh_draws,
    "relabelled-vote": relabelled_vote,
    "net-relabelled": net_relabelled,
    "composition": composition,
}
"""Pictures by the name of their page."""
