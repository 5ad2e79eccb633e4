import pytest

from samples.lm_text import random_text


@pytest.fixture(scope="session")
def lines() -> list[str]:
    return random_text(60, "abcdefghijklmnopqrstuvw")
