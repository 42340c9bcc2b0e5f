"""A study as it stands in a file."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from softshell_common.yaml_file import StrictModel
from softshell_studies.study.axes import Axis

#: A name that can stand in a condition.
Word = Annotated[str, Field(pattern=r'^[A-Za-z_]\w*$', max_length=60)]
Path = Annotated[str, Field(pattern=r'^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$', max_length=200)]
#: Ways of choosing points that need to be told how many.
SCATTERED = ('latin_hypercube', 'sobol')


class OptimizeForm(StrictModel):
    """What is to be found.

    Attributes:
        metric: whose mean over the repeats of a point counts.
        goal: whether that is to be least, or most.
        sampler: CMA-ES, TPE or chance, as optuna has them.
        trials: how many points it asks for.
        where: condition over metrics and parameters that every run of a point has to be as.
    """

    metric: Word
    goal: Literal['least', 'most']
    sampler: Literal['cmaes', 'tpe', 'random'] = 'cmaes'
    trials: Annotated[int, Field(ge=1, strict=True)] = 50
    where: str | None = None


class StudyForm(StrictModel):
    """A study.

    Attributes:
        scenario: what is done in each run, by name.
        function: what is done instead, as `FILE.py:NAME` beside the study: it is called with
            nested parameters and a seed, and returns numbers by name.
        fixed: parameters that are the same in all runs, nested or by path; all others have the
            scenario's defaults.
        parameters: those that change, by path.
        sampling: a grid of all combinations, grids of two at a time (others as in `fixed`), a
            Latin hypercube or a Sobol sequence.
        samples: how many points the last two have.
        repeats: how often each point is run, with other seeds.
        seed: from which those of all runs follow.
        common_seeds: the repeats of all points have the same seeds, so that points are compared
            under the same chances.
        metrics: what is kept of what a scenario measures; default: all.
        labels: conditions over metrics and parameters (by the last word of their path), by name.
        optimize: the values of the parameters are searched for, instead of being sampled.
    """

    scenario: Word | None = None
    function: Annotated[str, Field(pattern=r'^[^:]+\.py:[A-Za-z_]\w*$')] | None = None
    fixed: dict[str, Any] = Field(default_factory=dict)
    parameters: dict[Path, Axis] = Field(min_length=1)
    sampling: Literal['grid', 'slices', 'latin_hypercube', 'sobol'] = 'grid'
    samples: Annotated[int, Field(ge=1, strict=True)] | None = None
    repeats: Annotated[int, Field(ge=1, strict=True)] = 1
    seed: Annotated[int, Field(ge=0, strict=True)] = 0
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
            raise ValueError(f'sampling is {self.sampling}; expected samples: how many')
        if not scattered and self.samples is not None:
            raise ValueError(f'samples is {self.samples}; expected none with {self.sampling}')
        if self.sampling == 'slices' and len(self.parameters) < 2:
            raise ValueError('sampling is slices; expected two parameters or more')
        return self._names_metrics()

    def _fits_a_search(self) -> Self:
        assert self.optimize is not None
        if self.sampling != 'grid' or self.samples is not None:
            raise ValueError('has sampling or samples with optimize; expected one of them')
        for path, axis in self.parameters.items():
            if axis.normal is not None:
                raise ValueError(
                    f'{path} is normal; expected an interval, or values, to search in'
                )
            if axis.values is not None and self.optimize.sampler == 'cmaes':
                raise ValueError(
                    f'{path} has values, between which CMA-ES cannot search; expected an '
                    'interval, or sampler: tpe'
                )
        return self._names_metrics()

    def _names_metrics(self) -> Self:
        if self.function is not None and self.metrics is None:
            raise ValueError('expected metrics: the names that the function returns')
        return self
