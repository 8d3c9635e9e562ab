# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal, Sequence

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Skills(Resource):
    def list(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.Skill, ListBody[m.Skill]]:
        """List an agent's skills."""
        return self._page(
            "GET",
            f"/agents/{quote(id)}/skills",
            lambda: ListBody[m.Skill],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    def remove(
        self,
        id: str,
        skill_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a custom skill."""
        return self._none(
            "DELETE",
            f"/agents/{quote(id)}/skills/{quote(skill_id)}",
            call_options,
        )

    def list_proposals(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["proposed", "accepted", "rejected"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.SkillProposal, ListBody[m.SkillProposal]]:
        """List an agent's skill proposals."""
        return self._page(
            "GET",
            f"/agents/{quote(id)}/skill-proposals",
            lambda: ListBody[m.SkillProposal],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status},
        )

    def propose(
        self,
        id: str,
        /,
        *,
        name: str,
        instructions: str,
        description: Given[str] = OMIT,
        operations: Given[Sequence[str]] = OMIT,
        rationale: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.SkillProposal:
        """Propose a skill."""
        _answer: m.SkillProposal = self._json(
            "POST",
            f"/agents/{quote(id)}/skill-proposals",
            lambda: m.SkillProposal,
            call_options,
            body={"name": name, "description": description, "instructions": instructions, "operations": operations, "rationale": rationale},
        )
        return _answer

    def get_proposal(
        self,
        id: str,
        pid: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.SkillProposal:
        """Get a skill proposal."""
        _answer: m.SkillProposal = self._json(
            "GET",
            f"/agents/{quote(id)}/skill-proposals/{quote(pid)}",
            lambda: m.SkillProposal,
            call_options,
        )
        return _answer

    def decide_proposal(
        self,
        id: str,
        pid: str,
        /,
        *,
        status: Literal["accepted", "rejected"],
        comment: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.SkillProposal:
        """Accept or reject a skill proposal."""
        _answer: m.SkillProposal = self._json(
            "PATCH",
            f"/agents/{quote(id)}/skill-proposals/{quote(pid)}",
            lambda: m.SkillProposal,
            call_options,
            body={"status": status, "comment": comment},
        )
        return _answer


class AsyncSkills(AsyncResource):
    def list(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.Skill, ListBody[m.Skill]]:
        """List an agent's skills."""
        return self._page(
            "GET",
            f"/agents/{quote(id)}/skills",
            lambda: ListBody[m.Skill],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    async def remove(
        self,
        id: str,
        skill_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a custom skill."""
        return await self._none(
            "DELETE",
            f"/agents/{quote(id)}/skills/{quote(skill_id)}",
            call_options,
        )

    def list_proposals(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["proposed", "accepted", "rejected"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.SkillProposal, ListBody[m.SkillProposal]]:
        """List an agent's skill proposals."""
        return self._page(
            "GET",
            f"/agents/{quote(id)}/skill-proposals",
            lambda: ListBody[m.SkillProposal],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status},
        )

    async def propose(
        self,
        id: str,
        /,
        *,
        name: str,
        instructions: str,
        description: Given[str] = OMIT,
        operations: Given[Sequence[str]] = OMIT,
        rationale: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.SkillProposal:
        """Propose a skill."""
        _answer: m.SkillProposal = await self._json(
            "POST",
            f"/agents/{quote(id)}/skill-proposals",
            lambda: m.SkillProposal,
            call_options,
            body={"name": name, "description": description, "instructions": instructions, "operations": operations, "rationale": rationale},
        )
        return _answer

    async def get_proposal(
        self,
        id: str,
        pid: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.SkillProposal:
        """Get a skill proposal."""
        _answer: m.SkillProposal = await self._json(
            "GET",
            f"/agents/{quote(id)}/skill-proposals/{quote(pid)}",
            lambda: m.SkillProposal,
            call_options,
        )
        return _answer

    async def decide_proposal(
        self,
        id: str,
        pid: str,
        /,
        *,
        status: Literal["accepted", "rejected"],
        comment: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.SkillProposal:
        """Accept or reject a skill proposal."""
        _answer: m.SkillProposal = await self._json(
            "PATCH",
            f"/agents/{quote(id)}/skill-proposals/{quote(pid)}",
            lambda: m.SkillProposal,
            call_options,
            body={"status": status, "comment": comment},
        )
        return _answer
