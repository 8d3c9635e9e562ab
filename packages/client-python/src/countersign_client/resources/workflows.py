# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import Any, List, Literal, Mapping, Sequence, Union

from typing_extensions import Unpack

from .. import models as m
from .. import params as p
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Workflows(Resource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        q: Given[str] = OMIT,
        status: Given[Literal["draft", "pending_review", "published"]] = OMIT,
        visibility: Given[Literal["private", "team", "org"]] = OMIT,
        team_id: Given[str] = OMIT,
        agent_id: Given[str] = OMIT,
        sort: Given[Literal["created_at", "-created_at", "updated_at", "-updated_at", "name", "-name"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.Workflow, ListBody[m.Workflow]]:
        """List workflows."""
        return self._page(
            "GET",
            "/workflows",
            lambda: ListBody[m.Workflow],
            call_options,
            query={"limit": limit, "cursor": cursor, "q": q, "status": status, "visibility": visibility, "team_id": team_id, "agent_id": agent_id, "sort": sort},
        )

    def create(
        self,
        *,
        name: str,
        description: Given[str] = OMIT,
        visibility: Given[Literal["private", "team", "org"]] = OMIT,
        team_id: Given[str] = OMIT,
        max_cost_cents: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Workflow:
        """Create a workflow."""
        _answer: m.Workflow = self._json(
            "POST",
            "/workflows",
            lambda: m.Workflow,
            call_options,
            body={"name": name, "description": description, "visibility": visibility, "team_id": team_id, "max_cost_cents": max_cost_cents},
        )
        return _answer

    def import_(
        self,
        *,
        format: str,
        name: str,
        description: Given[str] = OMIT,
        max_cost_cents: Given[int] = OMIT,
        definition: Given[p.WorkflowDefinition] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ImportedWorkflow:
        """Import a workflow."""
        _answer: m.ImportedWorkflow = self._json(
            "POST",
            "/workflows/import",
            lambda: m.ImportedWorkflow,
            call_options,
            body={"format": format, "name": name, "description": description, "max_cost_cents": max_cost_cents, "definition": definition},
        )
        return _answer

    def from_template(
        self,
        *,
        template_id: str,
        name: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ImportedWorkflow:
        """Create a workflow from a template."""
        _answer: m.ImportedWorkflow = self._json(
            "POST",
            "/workflows/from-template",
            lambda: m.ImportedWorkflow,
            call_options,
            body={"template_id": template_id, "name": name},
        )
        return _answer

    def templates(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.WorkflowsTemplatesAnswer:
        """List workflow templates."""
        _answer: m.WorkflowsTemplatesAnswer = self._json(
            "GET",
            "/workflow-templates",
            lambda: m.WorkflowsTemplatesAnswer,
            call_options,
        )
        return _answer

    def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Workflow:
        """Get a workflow."""
        _answer: m.Workflow = self._json(
            "GET",
            f"/workflows/{quote(id)}",
            lambda: m.Workflow,
            call_options,
        )
        return _answer

    def update(
        self,
        id: str,
        /,
        *,
        name: Given[str] = OMIT,
        description: Given[str] = OMIT,
        max_cost_cents: Given[Union[int, None]] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Workflow:
        """Update a workflow."""
        _answer: m.Workflow = self._json(
            "PATCH",
            f"/workflows/{quote(id)}",
            lambda: m.Workflow,
            call_options,
            body={"name": name, "description": description, "max_cost_cents": max_cost_cents, "expected_version": expected_version},
        )
        return _answer

    def remove(
        self,
        id: str,
        /,
        *,
        force: Given[Literal["true", "false"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a workflow."""
        return self._none(
            "DELETE",
            f"/workflows/{quote(id)}",
            call_options,
            query={"force": force},
        )

    def create_version(
        self,
        id: str,
        /,
        *,
        steps: Sequence[p.WorkflowStep],
        edges: Sequence[p.WorkflowEdge],
        dry_run: Given[Literal["true", "false"]] = OMIT,
        input_schema: Given[Mapping[str, Any]] = OMIT,
        output: Given[Any] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.WorkflowsCreateVersionAnswer:
        """Create or check a version."""
        _answer: m.WorkflowsCreateVersionAnswer = self._json(
            "POST",
            f"/workflows/{quote(id)}/versions",
            lambda: m.WorkflowsCreateVersionAnswer,
            call_options,
            query={"dry_run": dry_run},
            body={"steps": steps, "edges": edges, "input_schema": input_schema, "output": output},
        )
        return _answer

    def list_versions(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.WorkflowVersion, ListBody[m.WorkflowVersion]]:
        """List versions of a workflow."""
        return self._page(
            "GET",
            f"/workflows/{quote(id)}/versions",
            lambda: ListBody[m.WorkflowVersion],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    def get_version(
        self,
        id: str,
        version_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.WorkflowVersion:
        """Get a version of a workflow."""
        _answer: m.WorkflowVersion = self._json(
            "GET",
            f"/workflows/{quote(id)}/versions/{quote(version_id)}",
            lambda: m.WorkflowVersion,
            call_options,
        )
        return _answer

    def publish(
        self,
        id: str,
        version_id: str,
        /,
        *,
        note: Given[str] = OMIT,
        scope: Given[Literal["team", "org"]] = OMIT,
        team_id: Given[str] = OMIT,
        listed: Given[bool] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.PublishRequest:
        """Request the publication of a version."""
        _answer: m.PublishRequest = self._json(
            "POST",
            f"/workflows/{quote(id)}/versions/{quote(version_id)}/publish",
            lambda: m.PublishRequest,
            call_options,
            body={"note": note, "scope": scope, "team_id": team_id, "listed": listed},
        )
        return _answer

    def unpublish(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Workflow:
        """Unpublish a workflow."""
        _answer: m.Workflow = self._json(
            "POST",
            f"/workflows/{quote(id)}/unpublish",
            lambda: m.Workflow,
            call_options,
        )
        return _answer

    def grant(
        self,
        id: str,
        /,
        *,
        agent_id: str,
        **call_options: Unpack[CallOptions],
    ) -> m.WorkflowGrant:
        """Grant a workflow to an agent."""
        _answer: m.WorkflowGrant = self._json(
            "POST",
            f"/workflows/{quote(id)}/agents",
            lambda: m.WorkflowGrant,
            call_options,
            body={"agent_id": agent_id},
        )
        return _answer

    def revoke(
        self,
        id: str,
        /,
        *,
        agent_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Revoke a workflow from an agent."""
        return self._none(
            "DELETE",
            f"/workflows/{quote(id)}/agents",
            call_options,
            query={"agent_id": agent_id},
        )

    def share(
        self,
        id: str,
        /,
        *,
        visibility: Literal["private", "team", "org"],
        team_id: Given[str] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Workflow:
        """Share a workflow."""
        _answer: m.Workflow = self._json(
            "POST",
            f"/workflows/{quote(id)}/share",
            lambda: m.Workflow,
            call_options,
            body={"visibility": visibility, "team_id": team_id, "expected_version": expected_version},
        )
        return _answer

    def export(
        self,
        id: str,
        /,
        *,
        version_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.WorkflowExport:
        """Export a workflow."""
        _answer: m.WorkflowExport = self._json(
            "GET",
            f"/workflows/{quote(id)}/export",
            lambda: m.WorkflowExport,
            call_options,
            query={"version_id": version_id},
        )
        return _answer


class AsyncWorkflows(AsyncResource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        q: Given[str] = OMIT,
        status: Given[Literal["draft", "pending_review", "published"]] = OMIT,
        visibility: Given[Literal["private", "team", "org"]] = OMIT,
        team_id: Given[str] = OMIT,
        agent_id: Given[str] = OMIT,
        sort: Given[Literal["created_at", "-created_at", "updated_at", "-updated_at", "name", "-name"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.Workflow, ListBody[m.Workflow]]:
        """List workflows."""
        return self._page(
            "GET",
            "/workflows",
            lambda: ListBody[m.Workflow],
            call_options,
            query={"limit": limit, "cursor": cursor, "q": q, "status": status, "visibility": visibility, "team_id": team_id, "agent_id": agent_id, "sort": sort},
        )

    async def create(
        self,
        *,
        name: str,
        description: Given[str] = OMIT,
        visibility: Given[Literal["private", "team", "org"]] = OMIT,
        team_id: Given[str] = OMIT,
        max_cost_cents: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Workflow:
        """Create a workflow."""
        _answer: m.Workflow = await self._json(
            "POST",
            "/workflows",
            lambda: m.Workflow,
            call_options,
            body={"name": name, "description": description, "visibility": visibility, "team_id": team_id, "max_cost_cents": max_cost_cents},
        )
        return _answer

    async def import_(
        self,
        *,
        format: str,
        name: str,
        description: Given[str] = OMIT,
        max_cost_cents: Given[int] = OMIT,
        definition: Given[p.WorkflowDefinition] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ImportedWorkflow:
        """Import a workflow."""
        _answer: m.ImportedWorkflow = await self._json(
            "POST",
            "/workflows/import",
            lambda: m.ImportedWorkflow,
            call_options,
            body={"format": format, "name": name, "description": description, "max_cost_cents": max_cost_cents, "definition": definition},
        )
        return _answer

    async def from_template(
        self,
        *,
        template_id: str,
        name: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ImportedWorkflow:
        """Create a workflow from a template."""
        _answer: m.ImportedWorkflow = await self._json(
            "POST",
            "/workflows/from-template",
            lambda: m.ImportedWorkflow,
            call_options,
            body={"template_id": template_id, "name": name},
        )
        return _answer

    async def templates(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.WorkflowsTemplatesAnswer:
        """List workflow templates."""
        _answer: m.WorkflowsTemplatesAnswer = await self._json(
            "GET",
            "/workflow-templates",
            lambda: m.WorkflowsTemplatesAnswer,
            call_options,
        )
        return _answer

    async def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Workflow:
        """Get a workflow."""
        _answer: m.Workflow = await self._json(
            "GET",
            f"/workflows/{quote(id)}",
            lambda: m.Workflow,
            call_options,
        )
        return _answer

    async def update(
        self,
        id: str,
        /,
        *,
        name: Given[str] = OMIT,
        description: Given[str] = OMIT,
        max_cost_cents: Given[Union[int, None]] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Workflow:
        """Update a workflow."""
        _answer: m.Workflow = await self._json(
            "PATCH",
            f"/workflows/{quote(id)}",
            lambda: m.Workflow,
            call_options,
            body={"name": name, "description": description, "max_cost_cents": max_cost_cents, "expected_version": expected_version},
        )
        return _answer

    async def remove(
        self,
        id: str,
        /,
        *,
        force: Given[Literal["true", "false"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a workflow."""
        return await self._none(
            "DELETE",
            f"/workflows/{quote(id)}",
            call_options,
            query={"force": force},
        )

    async def create_version(
        self,
        id: str,
        /,
        *,
        steps: Sequence[p.WorkflowStep],
        edges: Sequence[p.WorkflowEdge],
        dry_run: Given[Literal["true", "false"]] = OMIT,
        input_schema: Given[Mapping[str, Any]] = OMIT,
        output: Given[Any] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.WorkflowsCreateVersionAnswer:
        """Create or check a version."""
        _answer: m.WorkflowsCreateVersionAnswer = await self._json(
            "POST",
            f"/workflows/{quote(id)}/versions",
            lambda: m.WorkflowsCreateVersionAnswer,
            call_options,
            query={"dry_run": dry_run},
            body={"steps": steps, "edges": edges, "input_schema": input_schema, "output": output},
        )
        return _answer

    def list_versions(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.WorkflowVersion, ListBody[m.WorkflowVersion]]:
        """List versions of a workflow."""
        return self._page(
            "GET",
            f"/workflows/{quote(id)}/versions",
            lambda: ListBody[m.WorkflowVersion],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    async def get_version(
        self,
        id: str,
        version_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.WorkflowVersion:
        """Get a version of a workflow."""
        _answer: m.WorkflowVersion = await self._json(
            "GET",
            f"/workflows/{quote(id)}/versions/{quote(version_id)}",
            lambda: m.WorkflowVersion,
            call_options,
        )
        return _answer

    async def publish(
        self,
        id: str,
        version_id: str,
        /,
        *,
        note: Given[str] = OMIT,
        scope: Given[Literal["team", "org"]] = OMIT,
        team_id: Given[str] = OMIT,
        listed: Given[bool] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.PublishRequest:
        """Request the publication of a version."""
        _answer: m.PublishRequest = await self._json(
            "POST",
            f"/workflows/{quote(id)}/versions/{quote(version_id)}/publish",
            lambda: m.PublishRequest,
            call_options,
            body={"note": note, "scope": scope, "team_id": team_id, "listed": listed},
        )
        return _answer

    async def unpublish(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Workflow:
        """Unpublish a workflow."""
        _answer: m.Workflow = await self._json(
            "POST",
            f"/workflows/{quote(id)}/unpublish",
            lambda: m.Workflow,
            call_options,
        )
        return _answer

    async def grant(
        self,
        id: str,
        /,
        *,
        agent_id: str,
        **call_options: Unpack[CallOptions],
    ) -> m.WorkflowGrant:
        """Grant a workflow to an agent."""
        _answer: m.WorkflowGrant = await self._json(
            "POST",
            f"/workflows/{quote(id)}/agents",
            lambda: m.WorkflowGrant,
            call_options,
            body={"agent_id": agent_id},
        )
        return _answer

    async def revoke(
        self,
        id: str,
        /,
        *,
        agent_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Revoke a workflow from an agent."""
        return await self._none(
            "DELETE",
            f"/workflows/{quote(id)}/agents",
            call_options,
            query={"agent_id": agent_id},
        )

    async def share(
        self,
        id: str,
        /,
        *,
        visibility: Literal["private", "team", "org"],
        team_id: Given[str] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Workflow:
        """Share a workflow."""
        _answer: m.Workflow = await self._json(
            "POST",
            f"/workflows/{quote(id)}/share",
            lambda: m.Workflow,
            call_options,
            body={"visibility": visibility, "team_id": team_id, "expected_version": expected_version},
        )
        return _answer

    async def export(
        self,
        id: str,
        /,
        *,
        version_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.WorkflowExport:
        """Export a workflow."""
        _answer: m.WorkflowExport = await self._json(
            "GET",
            f"/workflows/{quote(id)}/export",
            lambda: m.WorkflowExport,
            call_options,
            query={"version_id": version_id},
        )
        return _answer
