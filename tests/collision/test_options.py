"""What a run does about contact: arguments over settings over defaults."""

import pytest

from impulse_core.compile import compile_scene
from impulse_core.simulation.options import choose_options
from impulse_schema.models import Settings
from tests.core.scenes import box, scene_of


def options(settings=None, **arguments):
    """Options of a run of two boxes that can touch."""
    scene = scene_of([box(name, (0.0, 0.0, z), role="both") for name, z in (("a", 0), ("b", 1))])
    if settings is not None:
        scene.settings = settings
    return choose_options(compile_scene(scene), **arguments)


def test_defaults():
    """Poisson's hypothesis, whole steps, nobody sleeps, contacts are not recorded."""
    chosen = options()

    assert chosen.impact_law == "poisson"
    assert not any((chosen.time_of_impact, chosen.sleeping, chosen.record_contacts))


def test_settings_of_the_scene():
    """Each setting has its option."""
    given = Settings(impact_law="newton", time_of_impact=True, sleeping=True, record_contacts=True)
    chosen = options(given)

    assert chosen.impact_law == "newton"
    assert chosen.time_of_impact
    assert chosen.sleeping
    assert chosen.record_contacts


@pytest.mark.parametrize("setting", [True, False])
@pytest.mark.parametrize("argument", [True, False, None])
def test_arguments_win(setting, argument):
    """An argument that is given replaces the setting, either way."""
    chosen = options(Settings(record_contacts=setting), contacts=argument)

    assert chosen.record_contacts == (setting if argument is None else argument)


def test_no_time_of_impact_wins():
    """The argument takes back what the scene asks for."""
    assert not options(Settings(time_of_impact=True), time_of_impact=False).time_of_impact
