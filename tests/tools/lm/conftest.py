import pytest

from lm_data import random_text


@pytest.fixture(scope="session")
def lines() -> list[str]:
    return random_text(60, "abcdefghijklmnopqrstuvw")
