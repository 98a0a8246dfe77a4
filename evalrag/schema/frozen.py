"""The base of everything that is stored."""

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """Immutable, closed, finite: a typo in a file is an error and NaN cannot be stored."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, hide_input_in_errors=True
    )
