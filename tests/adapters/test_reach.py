"""What a plan connects to is asked once whether it is there; the user's own objects are not."""

from evalrag.adapters.hooks import Hook
from evalrag.adapters.reach import Reached, close, reached


class Service:
    def __init__(self) -> None:
        self.asked = self.closed = 0

    def reach(self) -> Reached:
        self.asked += 1
        return Reached(False, "http://127.0.0.1:9 does not answer", hint="start it")

    def close(self) -> None:
        self.closed += 1


def hook(name: str, stage: str, owner: object) -> Hook:
    return Hook(name, stage, lambda: None, owner=owner)


def test_an_adapter_of_two_stages_is_asked_and_closed_once() -> None:
    service = Service()
    hooks = [hook("http", "retrieve", service), hook("http", "generate", service)]
    assert reached(hooks) == [Reached(False, "http://127.0.0.1:9 does not answer", "start it")]
    close(hooks)
    assert (service.asked, service.closed) == (1, 1)


def test_an_object_of_the_users_is_neither_asked_nor_closed() -> None:
    service = Service()
    hooks = [hook("my_bot:service", "answer", service)]
    assert reached(hooks) == []
    close(hooks)
    assert (service.asked, service.closed) == (0, 0)


def test_an_adapter_without_reach_is_passed_by() -> None:
    assert reached([hook("bm25", "retrieve", object())]) == []
