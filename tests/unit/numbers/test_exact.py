"""Numbers a guarantee rests on: rounded outwards, to one value, whatever their size."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.errors import ParameterError
from privpac.numbers import exact

positive = st.fractions(min_value=Fraction(1, 10**6), max_value=10**6)


def _ball_exp(x: Fraction) -> arb:
    return exact.ball(x).exp()


class TestExactDecimal:
    @pytest.mark.parametrize(
        ("given", "value"),
        [
            (0.1, Fraction(1, 10)),
            ("0.1", Fraction(1, 10)),
            ("1/3", Fraction(1, 3)),
            (np.float64(0.1), Fraction(1, 10)),
            (np.float32(0.1), Fraction(1, 10)),
            (3, Fraction(3)),
            (np.int64(3), Fraction(3)),
            (Fraction(2, 7), Fraction(2, 7)),
            (" 2.5 ", Fraction(5, 2)),
            ("1e-3", Fraction(1, 1000)),
        ],
    )
    def test_reads_what_a_person_wrote(self, given: object, value: Fraction) -> None:
        assert exact.exact_decimal(given, owner="f", name="x") == value

    @pytest.mark.parametrize(
        "given", [None, True, "", "one", "nan", "inf", float("nan"), float("inf"), [1], "1/0", "1e999999999"]
    )
    def test_refuses_what_is_no_number(self, given: object) -> None:
        with pytest.raises(ParameterError) as refused:
            exact.exact_decimal(given, owner="f", name="x")
        assert refused.value.parameter == "x"


class TestDirectedRounding:
    @given(positive)
    @settings(max_examples=60)
    def test_logarithms_lie_between_their_roundings(self, x: Fraction) -> None:
        up, down = exact.ln_up(x), exact.ln_down(x)
        with ctx.workprec(300):
            assert exact.ball(down) <= exact.ball(x).log() or x == 1
            assert exact.ball(x).log() <= exact.ball(up) or x == 1
        assert up - down == (0 if x == 1 else Fraction(1, 10**12))

    @given(st.fractions(min_value=-40, max_value=40))
    @settings(max_examples=60)
    def test_exponentials_lie_between_their_roundings(self, x: Fraction) -> None:
        up, down = exact.exp_up(x, 20), exact.exp_down(x, 20)
        with ctx.workprec(300):
            assert x == 0 or (exact.ball(down) < _ball_exp(x) < exact.ball(up))
        assert up - down == (0 if x == 0 else Fraction(1, 10**20))

    def test_no_rounding_depends_on_a_precision_somebody_else_has_set(self) -> None:
        wanted = exact.ln_up(Fraction(7, 3)), exact.power_up(Fraction(7, 3), 10**6)
        with ctx.workprec(5000):
            assert (exact.ln_up(Fraction(7, 3)), exact.power_up(Fraction(7, 3), 10**6)) == wanted

    def test_the_sign_of_a_difference_of_one_part_in_10_to_the_100_is_certified(self) -> None:
        with ctx.workprec(600):
            near = Fraction(int((arb(1).exp() * 10**100).floor().unique_fmpz()), 10**100)
        assert exact.sign_of_log_sum(Fraction(-1), near) == -1
        assert exact.sign_of_log_sum(Fraction(-1), near + Fraction(1, 10**100)) == 1
        assert exact.sign_of_log_sum(Fraction(0), Fraction(1)) == 0
        assert exact.sign_of_log_sum(Fraction(-1), Fraction(1)) == -1


class TestRatioFor:
    @given(st.fractions(min_value=Fraction(1, 10**9), max_value=700))
    @settings(max_examples=80)
    def test_is_the_smallest_double_that_is_large_enough(self, exponent: Fraction) -> None:
        ratio = exact.ratio_for(exponent)
        assert Fraction(float(ratio)) == ratio
        assert exact.sign_of_log_sum(exponent, ratio) >= 0
        if exponent <= 620:
            below = Fraction(math.nextafter(float(ratio), 0.0))
            assert exact.sign_of_log_sum(exponent, below) < 0

    @pytest.mark.parametrize("exponent", ["599.9", "600", "600.1", "610", "623.8", "624", "624.1", "10000"])
    def test_the_cut_at_2_to_the_minus_900_never_makes_the_loss_larger(self, exponent: str) -> None:
        assert exact.sign_of_log_sum(Fraction(exponent), exact.ratio_for(Fraction(exponent))) >= 0

    def test_ends(self) -> None:
        assert exact.ratio_for(Fraction(0)) == 1
        assert exact.ratio_for(Fraction(1, 10**30)) == 1
        with pytest.raises(ValueError, match="negative"):
            exact.ratio_for(Fraction(-1))


class TestTexts:
    @given(st.fractions(min_value=0, max_value=10**40))
    def test_what_people_are_shown_is_never_better_than_the_truth(self, x: Fraction) -> None:
        shown = Fraction(exact.decimal_text(x))
        assert x <= shown <= x + max(x * Fraction(1, 999), Fraction(1, 10**6))

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (Fraction(1, 10**400), "1e-400"),
            (Fraction(12345, 10**404), "1.235e-400"),
            (Fraction(99999, 10**12), "1e-7"),
            (Fraction(10**30) + Fraction(1, 3), "1000000000000000000000000000000.333334"),
            (Fraction(0), "0"),
        ],
    )
    def test_decimal_text_at_the_ends_of_the_range(self, value: Fraction, text: str) -> None:
        assert exact.decimal_text(value) == text

    @given(
        st.one_of(
            st.fractions(), st.builds(Fraction, st.integers(), st.sampled_from([1, 10**9, 2**20, 5**20]))
        )
    )
    def test_plain_is_the_number_itself(self, x: Fraction) -> None:
        assert Fraction(exact.plain(x)) == x

    @pytest.mark.parametrize("text", ["100000000000000000000000000000.1", "-0.25", "1/3", "0.000001", "7"])
    def test_plain_writes_decimals_where_there_are_any(self, text: str) -> None:
        assert exact.plain(Fraction(text)) == text


class TestShortNumbers:
    @given(positive, st.integers(1, 3000))
    @settings(max_examples=80, deadline=None)
    def test_powers_are_exact_or_rounded_up_by_less_than_2_to_the_minus_255(
        self, base: Fraction, count: int
    ) -> None:
        rounded, true = exact.power_up(base, count), base**count
        assert true <= rounded <= true * (1 + Fraction(1, 2**255))
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        assert rounded == true or count * bits > exact.EXACT_BITS

    def test_rounded_numbers_have_256_significant_bits(self) -> None:
        rounded = exact.power_up(Fraction(7, 5), 5000)
        odd = rounded.numerator
        while odd % 2 == 0:
            odd //= 2
        assert 200 < odd.bit_length() <= exact.ROUNDED_BITS
        assert rounded.denominator & (rounded.denominator - 1) == 0

    def test_dyadic_powers_come_out_exactly(self) -> None:
        for base, count in ((Fraction(1, 2), 5000), (Fraction(2), 5000), (Fraction(1, 2**900), 20)):
            assert exact.power_up(base, count) == base**count

    def test_a_cost_of_a_million_takes_no_time(self) -> None:
        ratio = exact.ratio_for(Fraction(1, 2 * 10**6))
        factor = exact.power_up(1 / ratio, 2 * 10**6)
        assert exact.sign_of_log_sum(Fraction(-1), factor) < 0
        assert exact.sign_of_log_sum(Fraction(-1), factor * (1 + Fraction(1, 10**9))) > 0

    def test_shortened_keeps_short_numbers_and_rounds_long_ones_up(self) -> None:
        for value in (Fraction(1, 3), Fraction(2**4095), Fraction(1, 2**4095)):
            assert exact.shortened(value) == value
        for value in (Fraction(3**4000, 2), Fraction(3**4000 + 2, 3**4001)):
            assert value < exact.shortened(value) < value * (1 + Fraction(1, 2**255))


class TestWritten:
    @given(st.fractions())
    def test_reads_back_what_is_written(self, x: Fraction) -> None:
        assert exact.read_number(str(x)) == exact.read_number(exact.plain(x)) == x

    @pytest.mark.parametrize(
        "text", ["1e999999999", "", "1/", "/2", ".5", "1.", " 1", "nan", "0x10", "1_0", 1, 0.5, None]
    )
    def test_refuses_everything_else(self, text: object) -> None:
        with pytest.raises(ValueError, match="written"):
            exact.read_number(text)
