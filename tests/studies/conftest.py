"""A scene that is simulated in milliseconds, and a cluster of two workers for all these tests."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator

import pytest

from impulse_schema import Body, Joint, Motor, Scene, Settings
from tests.cli.conftest import cli, pendulum

__all__ = ["cli", "cluster", "pendulum", "pids", "scene"]


@pytest.fixture
def scene() -> Scene:
    """An arm on a servo, beside a bob that hangs on a rod."""
    servo = Motor(kind="servo", target=0.5, proportional=20.0, derivative=2.0)
    hinge = Joint(
        type="hinge", name="hip-servo", body2="arm", anchor=(0, 0, 0), axis=(0, 1, 0),
        motors=[servo],
    )  # fmt: skip
    rod = Joint(type="distance", name="rod", body2="bob", anchor=(2, 0, 0), anchor2=(3, 0, 0))
    return Scene(
        version=1,
        name="arm",
        settings=Settings(duration=0.2),
        bodies=[
            Body(name="arm", position=(0.5, 0, 0), mass=1.0, inertia=(0.1, 0.1, 0.1)),
            Body(name="bob", position=(3, 0, 0), mass=1.0, inertia=(0.1, 0.1, 0.1)),
        ],
        joints=[hinge, rod],
    )


@pytest.fixture(scope="session")
def cluster() -> Iterator[str]:
    """Address of two workers, each a process with one thread."""
    pytest.importorskip("distributed")
    from distributed import LocalCluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None,
            silence_logs=60,
        ) as workers:  # fmt: skip
            yield workers.scheduler_address


def pids(address: str) -> list[int]:
    """The processes of the workers."""
    from distributed import Client

    with Client(address) as client:
        return list(client.run(os.getpid).values())
