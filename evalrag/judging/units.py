"""Units: what they measure, and how many of the base unit one of them is."""

from typing import NamedTuple


class Unit(NamedTuple):
    """`dimension` is what it measures; `loose` marks months and years, which are not exact."""

    dimension: str
    factor: float
    loose: bool = False


_DAY = 86400.0
_TABLE: dict[str, tuple[str, float, str]] = {
    "second": ("time", 1, "seconds sec secs s"),
    "minute": ("time", 60, "minutes min mins"),
    "hour": ("time", 3600, "hours hr hrs h"),
    "day": ("time", _DAY, "days"),
    "week": ("time", 7 * _DAY, "weeks wk wks"),
    "fortnight": ("time", 14 * _DAY, "fortnights"),
    "month": ("time", 30.4375 * _DAY, "months"),
    "year": ("time", 365.25 * _DAY, "years yr yrs"),
    "decade": ("time", 3652.5 * _DAY, "decades"),
    "millisecond": ("time", 0.001, "milliseconds ms"),
    "mg": ("mass", 0.001, "milligram milligrams milligramme"),
    "µg": ("mass", 1e-6, "μg mcg microgram micrograms"),
    "g": ("mass", 1, "gram grams gramme grammes"),
    "kg": ("mass", 1000, "kilo kilos kilogram kilograms kilogramme"),
    "tonne": ("mass", 1e6, "tonnes"),
    "lb": ("mass", 453.592, "lbs"),
    "oz": ("mass", 28.3495, "ounce ounces"),
    "ml": ("volume", 0.001, "millilitre millilitres milliliter milliliters"),
    "cl": ("volume", 0.01, "centilitre centilitres"),
    "l": ("volume", 1, "litre litres liter liters"),
    "gallon": ("volume", 3.78541, "gallons"),
    "cup": ("cups", 1, "cups"),
    "tbsp": ("spoons", 3, "tablespoon tablespoons"),
    "tsp": ("spoons", 1, "teaspoon teaspoons"),
    "mm": ("length", 0.001, "millimetre millimetres millimeter millimeters"),
    "cm": ("length", 0.01, "centimetre centimetres centimeter centimeters"),
    "metre": ("length", 1, "metres meter meters"),
    "km": ("length", 1000, "kilometre kilometres kilometer kilometers"),
    "inch": ("length", 0.0254, "inches"),
    "foot": ("length", 0.3048, "feet ft"),
    "yard": ("length", 0.9144, "yards"),
    "mile": ("length", 1609.344, "miles"),
    "byte": ("data", 1, "bytes"),
    "kb": ("data", 1e3, "kilobyte kilobytes"),
    "mb": ("data", 1e6, "megabyte megabytes"),
    "gb": ("data", 1e9, "gigabyte gigabytes"),
    "tb": ("data", 1e12, "terabyte terabytes"),
    "mib": ("data", 2**20, ""),
    "gib": ("data", 2**30, ""),
    "mbps": ("bitrate", 1e6, "mbit"),
    "gbps": ("bitrate", 1e9, "gbit"),
    "watt": ("power", 1, "watts w"),
    "kw": ("power", 1e3, "kilowatt kilowatts"),
    "mw": ("power", 1e6, "megawatt megawatts"),
    "kwh": ("energy", 1, ""),
    "volt": ("voltage", 1, "volts v"),
    "ampere": ("current", 1, "amps amp"),
    "hz": ("frequency", 1, "hertz"),
    "khz": ("frequency", 1e3, ""),
    "mhz": ("frequency", 1e6, ""),
    "ghz": ("frequency", 1e9, ""),
    "mph": ("speed", 0.44704, ""),
    "kmh": ("speed", 1 / 3.6, "kph"),
    "db": ("loudness", 1, "decibel decibels"),
    "kcal": ("food energy", 1, "calories calorie"),
    "hectare": ("area", 1e4, "hectares ha"),
    "acre": ("area", 4046.86, "acres"),
    "percent": ("percent", 1, "percentage"),
    "dollar": ("money:USD", 1, "dollars usd"),
    "euro": ("money:EUR", 1, "euros eur"),
    "pound": ("money:GBP", 1, "pounds gbp"),
    "yen": ("money:JPY", 1, "jpy"),
    "franc": ("money:CHF", 1, "francs chf"),
    "rupee": ("money:INR", 1, "rupees inr"),
    "cent": ("money:USD", 0.01, "cents"),
}
_LOOSE = {"month", "year", "decade"}
UNITS = {
    word: Unit(dimension, factor, name in _LOOSE)
    for name, (dimension, factor, more) in _TABLE.items()
    for word in (name, *more.split())
}
"""Every word for a unit, in lower case."""

GLUED_ONLY = {"s", "h", "g", "l", "w", "v"}
"""Single letters: a unit where they stand at a figure, a letter elsewhere."""

CURRENCY = {"$": "money:USD", "€": "money:EUR", "£": "money:GBP", "¥": "money:JPY"}

FREQUENCY = {
    "hourly": "hour", "daily": "day", "nightly": "day", "weekly": "week", "monthly": "month",
    "quarterly": "quarter", "yearly": "year", "annually": "year", "annual": "year",
}  # fmt: skip

TEMPERATURE = {"c": "C", "celsius": "C", "centigrade": "C", "f": "F", "fahrenheit": "F"}


def celsius(value: float, scale: str) -> float:
    return (value - 32) * 5 / 9 if scale == "F" else value
