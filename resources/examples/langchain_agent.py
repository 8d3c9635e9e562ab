"""Tools for a LangChain agent under a monthly cap. The hub refuses what exceeds it; the model reads why."""

from typing import List

from countersign_client import Countersign
from countersign_client.langchain import tools
from langchain_core.tools import BaseTool


def set_cap(person: Countersign, agent_id: str, cents: int) -> None:
    """A person limits the agent's month; ``person`` has a token with ``budgets:write``."""
    person.budgets.set(agent_id, monthly_budget_cents=cents)


def agent_tools(agent: Countersign, run_id: str) -> List[BaseTool]:
    """One tool for each operation that the agent is bound to. ``run_id`` makes a repeated run pay once."""
    return tools(agent, run_id=run_id)
