"""The form of a study's file."""

from itertools import combinations
from math import prod
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from softshell_common.yaml_file import StrictModel, Whole
from softshell_studies.study.axes import MOST_RUNS, Axis, Value

#: A name that can be used in a condition.
Word = Annotated[str, Field(pattern=r'^[A-Za-z_]\w*$', max_length=60)]
Path = Annotated[str, Field(pattern=r'^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$', max_length=200)]
#: Kinds of sampling that need a number of samples.
SCATTERED = ('latin_hypercube', 'sobol')


class OptimizeForm(StrictModel):
    """A search for the best values of the parameters.

    Attributes:
        metric: that is optimized, as its mean over the repeats of a point.
        goal: whether the metric is to be least, or most.
        sampler: of optuna: CMA-ES, TPE or random.
        trials: number of points that the sampler chooses.
        where: condition over metrics and parameters that every run of a point has to meet.
    """

    metric: Word
    goal: Literal['least', 'most']
    sampler: Literal['cmaes', 'tpe', 'random'] = 'cmaes'
    trials: Annotated[Whole, Field(ge=1)] = 50
    where: str | None = None


class StudyForm(StrictModel):
    """A study.

    Attributes:
        scenario: name of the scenario that each run performs.
        function: a function that each run calls instead, as `FILE.py:NAME`; the path is relative
            to the study's folder. It takes nested parameters and a seed, and returns numbers by
            name.
        fixed: parameters with the same value in all runs, nested or by path; all others have the
            scenario's defaults.
        parameters: the varied parameters, by path.
        sampling: a grid of all combinations, a grid for each pair of parameters (with the others
            as in `fixed`), a Latin hypercube or a Sobol sequence.
        samples: number of points of a Latin hypercube or a Sobol sequence.
        repeats: how often each point is run, each time with another seed.
        seed: from which the seeds of all runs are derived.
        common_seeds: whether all points have the same seeds for their repeats, so that points are
            compared under the same random events.
        metrics: names of the metrics that are kept; default: all of the scenario.
        labels: conditions over metrics and parameters, by the name of the label. A parameter is
            named by the last word of its path.
        optimize: a search for the best values of the parameters, instead of a sampling.
    """

    scenario: Word | None = None
    function: Annotated[str, Field(pattern=r'^[^:]+\.py:[A-Za-z_]\w*$')] | None = None
    fixed: dict[str, Value] = Field(default_factory=dict)
    parameters: dict[Path, Axis] = Field(min_length=1)
    sampling: Literal['grid', 'slices', 'latin_hypercube', 'sobol'] = 'grid'
    samples: Annotated[Whole, Field(ge=1, le=MOST_RUNS)] | None = None
    repeats: Annotated[Whole, Field(ge=1)] = 1
    seed: Annotated[Whole, Field(ge=0)] = 0
    common_seeds: bool = False
    metrics: Annotated[tuple[Word, ...], Field(min_length=1)] | None = None
    labels: dict[Word, str] = Field(default_factory=dict)
    optimize: OptimizeForm | None = None

    @model_validator(mode='after')
    def _fits_together(self) -> Self:
        if (self.scenario is None) == (self.function is None):
            raise ValueError('expected either scenario or function')
        if self.optimize is not None:
            return self._fits_a_search()
        scattered = self.sampling in SCATTERED
        if scattered and self.samples is None:
            raise ValueError(f'sampling is {self.sampling}; expected samples: their number')
        if not scattered and self.samples is not None:
            raise ValueError(f'samples is {self.samples}; expected none with {self.sampling}')
        if self.sampling == 'slices' and len(self.parameters) < 2:
            raise ValueError('sampling is slices; expected two parameters or more')
        return self._has_not_too_many_runs()

    def _fits_a_search(self) -> Self:
        assert self.optimize is not None
        if self.sampling != 'grid' or self.samples is not None:
            raise ValueError(
                'has sampling or samples with optimize; a search chooses its points itself'
            )
        for path, axis in self.parameters.items():
            if axis.normal is not None:
                raise ValueError(
                    f'{path} has normal; expected an interval, or values, to search in'
                )
            if axis.values is not None and self.optimize.sampler == 'cmaes':
                raise ValueError(
                    f'{path} has values, between which CMA-ES cannot search; expected an '
                    'interval, or sampler: tpe'
                )
        if self.optimize.sampler == 'cmaes' and len(self.parameters) == 1:
            raise ValueError(
                'has one parameter, but CMA-ES searches in two or more; expected sampler: tpe'
            )
        return self._has_not_too_many_runs()

    def _has_not_too_many_runs(self) -> Self:
        # What has no number is refused elsewhere.
        numbers = [axis.number or 1 for axis in self.parameters.values()]
        if self.optimize is not None:
            points, told = self.optimize.trials, f'{self.optimize.trials} trials'
        elif self.samples is not None:
            points, told = self.samples, f'{self.samples} samples'
        elif self.sampling == 'slices':
            points = sum(one * other for one, other in combinations(numbers, 2))
            told = f'{points} points, of all pairs of {", ".join(map(str, numbers))} values'
        else:
            points = prod(numbers)
            told = f'a grid of {" * ".join(map(str, numbers))} points'
        if points * self.repeats > MOST_RUNS:
            repeated = f', {self.repeats} times each' if self.repeats > 1 else ''
            raise ValueError(
                f'has {told}{repeated}: {points * self.repeats} runs; expected at most {MOST_RUNS}'
            )
        return self._names_metrics()

    def _names_metrics(self) -> Self:
        if self.function is not None and self.metrics is None:
            raise ValueError('has function; expected metrics: the names of the numbers it returns')
        return self
