# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal, Union

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given, KeyedOptions
from .._resource import AsyncResource, Resource, quote


class Teams(Resource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.Team, ListBody[m.Team]]:
        """List teams."""
        return self._page(
            "GET",
            "/teams",
            lambda: ListBody[m.Team],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    def create(
        self,
        *,
        name: str,
        description: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Team:
        """Create a team."""
        _answer: m.Team = self._json(
            "POST",
            "/teams",
            lambda: m.Team,
            call_options,
            body={"name": name, "description": description},
        )
        return _answer

    def switch(
        self,
        *,
        team_id: Union[str, None],
        **call_options: Unpack[CallOptions],
    ) -> m.TeamsSwitchAnswer:
        """Switch the active team."""
        _answer: m.TeamsSwitchAnswer = self._json(
            "POST",
            "/teams/switch",
            lambda: m.TeamsSwitchAnswer,
            call_options,
            body={"team_id": team_id},
        )
        return _answer

    def update(
        self,
        id: str,
        /,
        *,
        name: Given[str] = OMIT,
        description: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Team:
        """Change a team."""
        _answer: m.Team = self._json(
            "PATCH",
            f"/teams/{quote(id)}",
            lambda: m.Team,
            call_options,
            body={"name": name, "description": description},
        )
        return _answer

    def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a team."""
        return self._none(
            "DELETE",
            f"/teams/{quote(id)}",
            call_options,
        )

    def members(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.TeamMember, ListBody[m.TeamMember]]:
        """List the members of a team."""
        return self._page(
            "GET",
            f"/teams/{quote(id)}/members",
            lambda: ListBody[m.TeamMember],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    def add_member(
        self,
        id: str,
        /,
        *,
        user_id: str,
        role: Literal["lead", "worker"],
        **call_options: Unpack[CallOptions],
    ) -> m.TeamMember:
        """Add a member to a team."""
        _answer: m.TeamMember = self._json(
            "POST",
            f"/teams/{quote(id)}/members",
            lambda: m.TeamMember,
            call_options,
            body={"user_id": user_id, "role": role},
        )
        return _answer

    def update_member(
        self,
        id: str,
        user_id: str,
        /,
        *,
        role: Literal["lead", "worker"],
        **call_options: Unpack[CallOptions],
    ) -> m.TeamMember:
        """Change a member's role in a team."""
        _answer: m.TeamMember = self._json(
            "PATCH",
            f"/teams/{quote(id)}/members/{quote(user_id)}",
            lambda: m.TeamMember,
            call_options,
            body={"role": role},
        )
        return _answer

    def remove_member(
        self,
        id: str,
        user_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Remove a member from a team."""
        return self._none(
            "DELETE",
            f"/teams/{quote(id)}/members/{quote(user_id)}",
            call_options,
        )

    def budget(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.TeamBudget:
        """Get a team's pool."""
        _answer: m.TeamBudget = self._json(
            "GET",
            f"/teams/{quote(id)}/budget",
            lambda: m.TeamBudget,
            call_options,
        )
        return _answer

    def move_budget(
        self,
        id: str,
        /,
        *,
        amount_cents: int,
        direction: Literal["allocate", "return"],
        **call_options: Unpack[KeyedOptions],
    ) -> m.TeamBudget:
        """Move money between the wallet and a pool."""
        _answer: m.TeamBudget = self._json(
            "POST",
            f"/teams/{quote(id)}/budget",
            lambda: m.TeamBudget,
            call_options,
            body={"amount_cents": amount_cents, "direction": direction},
            keyed=True,
        )
        return _answer

    def allocate(
        self,
        id: str,
        uid: str,
        /,
        *,
        amount_cents: int,
        direction: Literal["allocate", "return"],
        **call_options: Unpack[KeyedOptions],
    ) -> m.Allocation:
        """Move money between a pool and an allocation."""
        _answer: m.Allocation = self._json(
            "POST",
            f"/teams/{quote(id)}/workers/{quote(uid)}/budget/allocate",
            lambda: m.Allocation,
            call_options,
            body={"amount_cents": amount_cents, "direction": direction},
            keyed=True,
        )
        return _answer

    def end_allocation(
        self,
        id: str,
        uid: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """End an allocation."""
        return self._none(
            "DELETE",
            f"/teams/{quote(id)}/workers/{quote(uid)}/budget",
            call_options,
        )


class AsyncTeams(AsyncResource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.Team, ListBody[m.Team]]:
        """List teams."""
        return self._page(
            "GET",
            "/teams",
            lambda: ListBody[m.Team],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    async def create(
        self,
        *,
        name: str,
        description: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Team:
        """Create a team."""
        _answer: m.Team = await self._json(
            "POST",
            "/teams",
            lambda: m.Team,
            call_options,
            body={"name": name, "description": description},
        )
        return _answer

    async def switch(
        self,
        *,
        team_id: Union[str, None],
        **call_options: Unpack[CallOptions],
    ) -> m.TeamsSwitchAnswer:
        """Switch the active team."""
        _answer: m.TeamsSwitchAnswer = await self._json(
            "POST",
            "/teams/switch",
            lambda: m.TeamsSwitchAnswer,
            call_options,
            body={"team_id": team_id},
        )
        return _answer

    async def update(
        self,
        id: str,
        /,
        *,
        name: Given[str] = OMIT,
        description: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Team:
        """Change a team."""
        _answer: m.Team = await self._json(
            "PATCH",
            f"/teams/{quote(id)}",
            lambda: m.Team,
            call_options,
            body={"name": name, "description": description},
        )
        return _answer

    async def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a team."""
        return await self._none(
            "DELETE",
            f"/teams/{quote(id)}",
            call_options,
        )

    def members(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.TeamMember, ListBody[m.TeamMember]]:
        """List the members of a team."""
        return self._page(
            "GET",
            f"/teams/{quote(id)}/members",
            lambda: ListBody[m.TeamMember],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    async def add_member(
        self,
        id: str,
        /,
        *,
        user_id: str,
        role: Literal["lead", "worker"],
        **call_options: Unpack[CallOptions],
    ) -> m.TeamMember:
        """Add a member to a team."""
        _answer: m.TeamMember = await self._json(
            "POST",
            f"/teams/{quote(id)}/members",
            lambda: m.TeamMember,
            call_options,
            body={"user_id": user_id, "role": role},
        )
        return _answer

    async def update_member(
        self,
        id: str,
        user_id: str,
        /,
        *,
        role: Literal["lead", "worker"],
        **call_options: Unpack[CallOptions],
    ) -> m.TeamMember:
        """Change a member's role in a team."""
        _answer: m.TeamMember = await self._json(
            "PATCH",
            f"/teams/{quote(id)}/members/{quote(user_id)}",
            lambda: m.TeamMember,
            call_options,
            body={"role": role},
        )
        return _answer

    async def remove_member(
        self,
        id: str,
        user_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Remove a member from a team."""
        return await self._none(
            "DELETE",
            f"/teams/{quote(id)}/members/{quote(user_id)}",
            call_options,
        )

    async def budget(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.TeamBudget:
        """Get a team's pool."""
        _answer: m.TeamBudget = await self._json(
            "GET",
            f"/teams/{quote(id)}/budget",
            lambda: m.TeamBudget,
            call_options,
        )
        return _answer

    async def move_budget(
        self,
        id: str,
        /,
        *,
        amount_cents: int,
        direction: Literal["allocate", "return"],
        **call_options: Unpack[KeyedOptions],
    ) -> m.TeamBudget:
        """Move money between the wallet and a pool."""
        _answer: m.TeamBudget = await self._json(
            "POST",
            f"/teams/{quote(id)}/budget",
            lambda: m.TeamBudget,
            call_options,
            body={"amount_cents": amount_cents, "direction": direction},
            keyed=True,
        )
        return _answer

    async def allocate(
        self,
        id: str,
        uid: str,
        /,
        *,
        amount_cents: int,
        direction: Literal["allocate", "return"],
        **call_options: Unpack[KeyedOptions],
    ) -> m.Allocation:
        """Move money between a pool and an allocation."""
        _answer: m.Allocation = await self._json(
            "POST",
            f"/teams/{quote(id)}/workers/{quote(uid)}/budget/allocate",
            lambda: m.Allocation,
            call_options,
            body={"amount_cents": amount_cents, "direction": direction},
            keyed=True,
        )
        return _answer

    async def end_allocation(
        self,
        id: str,
        uid: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """End an allocation."""
        return await self._none(
            "DELETE",
            f"/teams/{quote(id)}/workers/{quote(uid)}/budget",
            call_options,
        )
