"""`lakeport serve` as a use case: the doors of one lake, opened together and closed together."""

from lakeport.app.serve.greeting import Greeting
from lakeport.app.serve.insight import Insight, Readiness
from lakeport.app.serve.running import Running, running
from lakeport.core.signals import stop_signals

__all__ = ["Greeting", "Insight", "Readiness", "Running", "running", "stop_signals"]
