"""Calibration: corrects the counting rules of a model's family by the provider's reports for earlier sends.

A request is assumed to have `base + permille / 1000 x text + per_message x messages` tokens. `text` is the number of
tokens of its texts in the vocabulary, `messages` the number of its messages. `base`, `permille` and `per_message` are
called figures here. A linear fit to the earlier sends finds them, with the family's figures as its prior (ridge
regression). The fit is robust against outliers (Tukey's biweight), and newer sends weigh more. Within a conversation
the ratio (`permille`) is moved towards the ratio of the newest send, because digits, code and other scripts cost more
than prose and stay in the history.

    >>> from app.domain.models.model_profile import ModelProfile
    >>> profile = ModelProfile("anthropic:claude-sonnet-4-5", "Claude Sonnet 4.5")
    >>> estimator_of(profile).permille
    1180
    >>> estimator_of(profile, [Observation(text=1_000, messages=3, tokens=1_320)] * 5).permille
    1235

Reports that are impossible for the text are ignored (`plausible_tokens`). With each plausible report, the figures
may differ from the family's by one more step, up to fixed bounds. So a false report cannot change an estimate abruptly.

Not here: loading earlier sends (`runs/request/calibration.py`) and the figures of the families (`families.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, sqrt
from statistics import median

from app.domain.models.model_profile import ModelProfile, vendor_and_name
from app.domain.tokens.estimates import THOUSAND, Estimator
from app.domain.tokens.families import Family, family_of
from app.domain.tokens.images import ImageRule
from app.domain.tokens.kinds import TextKind

MAX_OBSERVATIONS = 50
HALF_LIFE = 30
"""Number of newer sends that halves the weight of a send."""
RELATIVE_NOISE = 0.02
"""Usual difference between the reports for sends of the same size, as a share of their tokens."""
ABSOLUTE_NOISE = 2.0
"""Usual difference between the reports for sends of the same size, in tokens, in addition to `RELATIVE_NOISE`."""
BASE_SPREAD = 200.0
"""Usual difference between the base of a model and that of its family (standard deviation), in tokens."""
PER_MESSAGE_SPREAD = 3.0
"""Usual difference between a model and its family in the tokens per message (standard deviation)."""
FEW = 3
"""Minimum number of sends to recognize outliers. With fewer sends, `FEW_SPREADS` limits each report."""
FEW_SPREADS = 2.0
"""Maximum difference between a report and the expected tokens, in standard deviations.

A larger difference is reduced to this maximum.
"""
ODD = 4.685
"""Error from which a send has no weight, as a multiple of the usual error (the constant of Tukey's biweight)."""
TO_DEVIATION = 1.4826
"""Factor from the median of absolute values to a standard deviation."""
ROUNDS = 10

MAX_BASE = 20_000.0
"""Maximum number of tokens that a calibration may set as the base of a request."""
MAX_PER_MESSAGE = 100.0
"""Maximum number of tokens that a calibration may set for each message."""
MAX_RATIO = 3.0
"""Maximum factor between the calibrated ratio and the family's, in both directions."""
BASE_STEP = 1_000.0
"""Limit for the difference between the calibrated base and that of the model's family, in tokens for each report.

After n reports the difference is at most n times this number. `MAX_BASE` limits the base itself.
"""
PER_MESSAGE_STEP = 10.0
"""Limit for the difference between the calibrated tokens per message and the family's, for each report.

After n reports the difference is at most n times this number. `MAX_PER_MESSAGE` limits the tokens per message.
"""
RATIO_STEP = 1.25
"""Limit for the factor between the calibrated ratio and that of the model's family, in both directions.

After n reports the factor is at most this number to the power of n, up to `MAX_RATIO`.
"""

PLAUSIBLE_FACTOR = 3
"""A report is plausible only if it is between a third and three times the number that Inview counted."""
HIDDEN_PROMPT = 2_000
"""Maximum number of tokens that a server adds to a request, for example a hidden system prompt."""
WRAPPING = 10
"""Maximum number of tokens that a chat template adds to a message."""
MAX_TOKEN = 128
"""Characters of the longest token in any vocabulary in use: 128 blanks in o200k and Llama 3."""
LEAST_BAND = 0.01
BAND_PATIENCE = 3.0
"""Number of sends after which the family's band has a quarter of its weight; the measured error has the rest."""
P95 = 0.95
LEANING = 50
"""Size of a send, in tokens of text, at which its own ratio and the ratio of all conversations have the same weight."""
LEAST_LEANING = 0.1
KNOWN_BAND = 0.03
"""Relative error of the estimate for texts that were in the last reported request of their conversation."""
NEW_SHARE = 0.6
"""Minimum error of new texts, as a share of the family's band, even if earlier estimates were accurate."""
SAME_SCRIPT = 0.2
"""Relative error of the estimate for a new text in another script than Latin.

It applies if the earlier texts are in another script than Latin too.
"""
FIRST_SLACK, SLACK = 3.0, 2.0
"""Error of the estimates for a request and for each message, in tokens: before the first report, and after it."""
SMALL = 2
"""Maximum tokens of the texts of a send that confirms a calibrated base.

The unit is the difference between the calibrated base and the family's.
"""
BODY, BODY_OF_MESSAGE, FOREIGN_BODY = 500, 60, 1.3
"""Three numbers to decide whether a send was written in another script than Latin (`is_foreign`).

`BODY` is the size of a request's body without its messages, `BODY_OF_MESSAGE` that of a message without its text, both
in bytes. A text with at least `FOREIGN_BODY` bytes per character counts as written in another script.
"""

Row = tuple[float, float, float]
CERTAIN = 1e12
"""The precision of a number that must not change in a fit."""


@dataclass(frozen=True, slots=True)
class Observation:
    """An earlier send without images: its size as Inview counted it, and the `tokens` that its provider reported.

    - `text`: the number of its tokens in the vocabulary.
    - `here`: the send was in the conversation that the estimate is for.
    - `characters`: the length of its texts.
    - `size`: the size of its body in bytes.

    `characters` and `size` are None for sends of earlier versions, which did not store them.
    """

    text: int
    messages: int
    tokens: int
    here: bool = False
    characters: int | None = None
    size: int | None = None


def estimator_of(profile: ModelProfile, observations: Sequence[Observation] = ()) -> Estimator:
    """Return the token estimator of a model, corrected by `observations`: earlier sends to the model, newest first.

    Sends with an implausible report are ignored. Only the newest 50 of the other sends count.
    """
    family = family_of(profile.model)
    start = Estimator(
        vendor=vendor_and_name(profile.model)[0],
        permille=family.permille,
        per_message=family.per_message,
        base=family.base,
        band=family.band,
        images=family.images if profile.images else ImageRule.NONE,
    )
    plausible = [one for one in observations if one.text + one.messages > 0 and is_plausible(one)][:MAX_OBSERVATIONS]
    estimator = _correct(start, family, plausible) if plausible else start
    return replace(
        estimator,
        new=_list_new(estimator, family, plausible),
        slack=SLACK if plausible else FIRST_SLACK,
        base_doubt=_doubt_base(estimator, family, plausible),
    )


def plausible_tokens(one: Observation) -> tuple[int, int]:
    """Return the minimum and maximum number of tokens that a send can have, with any model.

    In any vocabulary a token has at least one byte and at most `MAX_TOKEN` characters. In addition, the number of
    tokens in any vocabulary in use differs from the number that Inview counted by at most a factor of
    `PLAUSIBLE_FACTOR`.

    >>> plausible_tokens(Observation(text=3_000, messages=1, tokens=0))
    (1000, 9030)
    >>> plausible_tokens(Observation(text=3_000, messages=1, tokens=0, characters=1_000_000, size=5_000))
    (7000, 7000)
    """
    counted = one.text + WRAPPING * one.messages
    least = max(1, -(-one.text // PLAUSIBLE_FACTOR))
    most = max(PLAUSIBLE_FACTOR * counted, counted + HIDDEN_PROMPT)
    if one.size is not None:
        most = min(most, one.size + HIDDEN_PROMPT)
    if one.characters is not None:
        least = min(most, max(least, -(-one.characters // MAX_TOKEN)))
    return least, most


def is_plausible(one: Observation) -> bool:
    """Return True if the reported tokens are possible for this send."""
    least, most = plausible_tokens(one)
    return least <= one.tokens <= most


def is_foreign(one: Observation) -> bool:
    """Return True if a send was mostly in another script than Latin: it had clearly more bytes than characters."""
    if one.size is None or one.characters is None:
        return False
    return one.size - BODY - BODY_OF_MESSAGE * one.messages >= FOREIGN_BODY * one.characters


def _doubt_base(estimator: Estimator, family: Family, observations: Sequence[Observation]) -> float:
    """Return the possible error of the calibrated base, in tokens; 0 if a short send has confirmed this base."""
    moved = abs(estimator.base - family.base)
    return 0.0 if any(estimator.of_text(one.text) <= SMALL * moved for one in observations) else float(moved)


def _list_new(
    estimator: Estimator, family: Family, observations: Sequence[Observation]
) -> tuple[tuple[TextKind, int, int], ...]:
    """Return, for each kind of new text, the lowest and highest `permille` (see `Estimator`).

    The range of plain text follows the learnt ratio, but keeps at least a share of the family's band, because prose and
    code differ. If the learnt ratio is outside the family's band, it may come from texts of another kind. Then the
    range is extended, so that it covers the family's band as well. In a conversation in another script, the range of
    new text in other scripts follows the learnt ratio.
    """
    kinds = family.kinds
    low, high = family.permille * (1 - family.band), family.permille * (1 + family.band)
    foreign = kinds.foreign
    if observations:
        learnt = estimator.permille
        spread = max(min(estimator.band, family.band), NEW_SHARE * family.band)
        near = learnt * (1 - spread), learnt * (1 + spread)
        low, high = near if low <= learnt <= high else (min(low, near[0]), max(high, near[1]))
    newest_here = next((one for one in observations if one.here), None)
    if newest_here is not None and is_foreign(newest_here):
        spread = min(SAME_SCRIPT, (foreign[1] - foreign[0]) / (foreign[0] + foreign[1]))
        low_here, high_here = estimator.permille * (1 - spread), estimator.permille * (1 + spread)
        foreign = round(low_here), round(high_here)
        low, high = family.permille * (1 - family.band), family.permille * (1 + family.band)
    return (
        (TextKind.PLAIN, round(low), round(high)),
        (TextKind.ACCENTED, *kinds.accented),
        (TextKind.FIGURES, *kinds.figures),
        (TextKind.FOREIGN, *foreign),
    )


@dataclass(frozen=True, slots=True)
class _Prior:
    """The expected base, ratio and tokens per message, each with its precision: the inverse square of its deviation."""

    means: Row
    precisions: Row


@dataclass(frozen=True, slots=True)
class _Point:
    """An observation in the form that the fit needs. `noise` is one standard deviation, `say` the weight by age."""

    row: Row
    tokens: float
    noise: float
    say: float


def _correct(start: Estimator, family: Family, observations: Sequence[Observation]) -> Estimator:
    here = next((one for one in observations if one.here), None)
    observations = [_as_plain(family, one) for one in observations]
    ratio = family.permille / THOUSAND
    spreads = (BASE_SPREAD, ratio * family.band, PER_MESSAGE_SPREAD)
    means = (float(family.base), ratio, float(family.per_message))
    prior = _Prior(means, _row(spread**-2 for spread in spreads))
    points = [_point(prior, age, one, few=len(observations) < FEW) for age, one in enumerate(observations)]
    # Fit and round the three numbers one after the other, to the units of an estimator. So the numbers that are fitted
    # later compensate for the rounding of the earlier ones.
    says = _weigh(prior, points)
    for figure, unit in ((2, 1.0), (1, 1 / THOUSAND), (0, 1.0)):
        fitted = _solve(prior, points, says)[figure]
        low, high = _bounds(family, len(observations))[figure]
        prior = _pin(prior, figure, round(min(max(fitted, low), high) / unit) * unit)
    base, ratio, per_message = prior.means
    corrected = replace(start, permille=round(ratio * THOUSAND), per_message=round(per_message), base=round(base))
    corrected = replace(corrected, band=_band(corrected, family, observations))
    return corrected if here is None else _lean(corrected, _bounds(family, len(observations))[1], here)


def _as_plain(family: Family, one: Observation) -> Observation:
    """Convert the size of an observation in another script to that of plain text.

    Otherwise such an observation would distort the ratio of all others.
    """
    if not is_foreign(one):
        return one
    return replace(one, text=round(one.text * sum(family.kinds.foreign) / 2 / family.permille))


def _lean(corrected: Estimator, bounds: tuple[float, float], newest_here: Observation) -> Estimator:
    """Move the ratio towards that of this conversation's newest send, because the next send repeats most of its texts.

    A longer send moves the ratio more. A ratio outside the bounds, or more than twice the band away, is ignored,
    because such a report cannot be right.
    """
    rest = newest_here.tokens - corrected.base - corrected.per_message * newest_here.messages
    leaning = newest_here.text / (newest_here.text + LEANING)
    permille = THOUSAND * rest / max(1, newest_here.text)
    farthest = corrected.permille * 2 * max(corrected.band, LEAST_LEANING)
    low, high = bounds
    if is_foreign(newest_here):
        farthest, low, high = corrected.permille * MAX_RATIO, low / MAX_RATIO, high * MAX_RATIO
    if not low <= permille / THOUSAND <= high or abs(permille - corrected.permille) > farthest:
        return corrected
    return replace(
        corrected,
        permille=round(corrected.permille + leaning * (permille - corrected.permille)),
        band=max(LEAST_BAND, min(corrected.band, round((1 - leaning) * corrected.band + KNOWN_BAND, 3))),
        known=newest_here.text,
    )


def _band(corrected: Estimator, family: Family, observations: Sequence[Observation]) -> float:
    """Return the relative error of estimates with the corrected figures, from their errors for earlier sends."""
    count = len(observations)
    misses = sorted(abs(estimate_send(corrected, one) - one.tokens) / one.tokens for one in observations)
    seen = misses[ceil(P95 * count) - 1] * (count + 3) / count  # + 3, because three numbers were fitted to these sends
    trust = (BAND_PATIENCE / (BAND_PATIENCE + count)) ** 2
    return max(LEAST_BAND, round(trust * family.band + (1 - trust) * min(seen, 1.0), 3))


def estimate_send(estimator: Estimator, one: Observation) -> int:
    """Return the number of tokens that the estimator expects for the whole request of an earlier send."""
    return estimator.base + estimator.of_text(one.text, one.messages)


def _bounds(family: Family, count: int) -> tuple[tuple[float, float], ...]:
    """Return the bounds of the base, the ratio and the tokens per message after this number of reports."""
    ratio, factor = family.permille / THOUSAND, min(MAX_RATIO, RATIO_STEP**count)
    base, per_message = count * BASE_STEP, count * PER_MESSAGE_STEP
    return (
        (max(0.0, family.base - base), min(MAX_BASE, family.base + base)),
        (ratio / factor, ratio * factor),
        (max(0.0, family.per_message - per_message), min(MAX_PER_MESSAGE, family.per_message + per_message)),
    )


def _point(prior: _Prior, age: int, one: Observation, *, few: bool) -> _Point:
    row = (1.0, float(one.text), float(one.messages))
    expected = _dot(prior.means, row)
    # The noise is computed from the expected tokens. If it were computed from the reported tokens, a report that is far
    # too low would have the largest weight.
    noise = ABSOLUTE_NOISE + RELATIVE_NOISE * expected
    tokens = float(one.tokens)
    if few:
        spread = sqrt(
            noise**2 + sum(part**2 / precision for part, precision in zip(row, prior.precisions, strict=True))
        )
        tokens = min(max(tokens, expected - FEW_SPREADS * spread), expected + FEW_SPREADS * spread)
    return _Point(row, tokens, noise, 0.5 ** (age / HALF_LIFE))


def _weigh(prior: _Prior, points: Sequence[_Point]) -> Sequence[float]:
    """Return the weight of each send in the best of several fits: the one with the smallest median error.

    Each fit starts with different values, because one outlier could mislead a single fit. An outlier hardly
    changes the median error, by which the best fit is chosen.
    """
    fits = [_settle(prior, points, start) for start in _starts(prior, points)]
    nearest = min(fits, key=lambda means: median(map(abs, _misses(means, points))))
    return _says(nearest, points)


def _starts(prior: _Prior, points: Sequence[_Point]) -> Iterator[Row]:
    """Yield the starts of fits: a fit to all sends, the prior with a corrected ratio, and with a corrected base.

    The correction is the median error of the prior.
    """
    base, ratio, per_message = prior.means
    misses = [point.tokens - _dot(prior.means, point.row) for point in points]
    per_word = [miss / point.row[1] for miss, point in zip(misses, points, strict=True) if point.row[1]]
    yield _solve(prior, points, [point.say for point in points])
    yield (base, ratio + median(per_word or [0.0]), per_message)
    yield (base + median(misses), ratio, per_message)


def _settle(prior: _Prior, points: Sequence[_Point], means: Row) -> Row:
    """Improve a fit by iteratively reweighted least squares: the larger the error of a send, the smaller its weight."""
    for _ in range(ROUNDS):
        means = _solve(prior, points, _says(means, points))
    return means


def _says(means: Row, points: Sequence[_Point]) -> list[float]:
    misses = _misses(means, points)
    usual = max(1.0, TO_DEVIATION * median(map(abs, misses)))
    return [point.say * _biweight(miss / (ODD * usual)) for point, miss in zip(points, misses, strict=True)]


def _misses(means: Row, points: Sequence[_Point]) -> list[float]:
    """Return the error of each send, in units of its noise."""
    return [(point.tokens - _dot(means, point.row)) / point.noise for point in points]


def _biweight(distance: float) -> float:
    return 0.0 if abs(distance) >= 1 else (1 - distance**2) ** 2


def _pin(prior: _Prior, figure: int, value: float) -> _Prior:
    means, precisions = list(prior.means), list(prior.precisions)
    means[figure], precisions[figure] = value, CERTAIN
    return _Prior(_row(means), _row(precisions))


def _solve(prior: _Prior, points: Sequence[_Point], says: Sequence[float]) -> Row:
    """Solve the least squares problem. The prior counts as three additional observations."""
    matrix = [[0.0] * 3 for _ in range(3)]
    side = [0.0] * 3
    for index, precision in enumerate(prior.precisions):
        matrix[index][index] = precision
    for point, say in zip(points, says, strict=True):
        weight = say / point.noise**2
        miss = point.tokens - _dot(prior.means, point.row)
        for i in range(3):
            side[i] += weight * point.row[i] * miss
            for j in range(3):
                matrix[i][j] += weight * point.row[i] * point.row[j]
    return _row(mean + change for mean, change in zip(prior.means, _gauss(matrix, side), strict=True))


def _gauss(matrix: list[list[float]], side: list[float]) -> list[float]:
    """Solve a symmetric positive definite system, which needs no pivoting. Both arguments are changed."""
    size = len(side)
    for column in range(size):
        for row in range(column + 1, size):
            factor = matrix[row][column] / matrix[column][column]
            side[row] -= factor * side[column]
            for place in range(column, size):
                matrix[row][place] -= factor * matrix[column][place]
    for row in reversed(range(size)):
        known = sum(matrix[row][place] * side[place] for place in range(row + 1, size))
        side[row] = (side[row] - known) / matrix[row][row]
    return side


def _dot(left: Row, right: Row) -> float:
    return left[0] * right[0] + left[1] * right[1] + left[2] * right[2]


def _row(values: Iterable[float]) -> Row:
    first, second, third = values
    return (first, second, third)
