"""The tests ask a real server: `TESTIMONY_URL` and `TESTIMONY_KEY` say which; `tools/clients.sh` starts one."""

import os
import uuid

import pytest
from testimony_memory import Client


@pytest.fixture
def subject():
    """A subject that nobody has used."""
    return f"python {uuid.uuid4().hex}"


@pytest.fixture
def client(subject):
    assert os.environ.get("TESTIMONY_URL"), "start a server and say where it is; tools/clients.sh does"
    with Client(subject=subject) as client:
        yield client
