# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import Any, List, Literal

from typing_extensions import Unpack

from .. import models as m
from .. import params as p
from ..events import AsyncEventStream, EventStream
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given, KeyedOptions
from .._resource import AsyncResource, Resource, quote


class WorkflowRuns(Resource):
    def start(
        self,
        id: str,
        /,
        *,
        input: Given[Any] = OMIT,
        version_id: Given[str] = OMIT,
        agent_id: Given[str] = OMIT,
        mode: Given[Literal["live", "test"]] = OMIT,
        max_cost_cents: Given[int] = OMIT,
        wait_seconds: Given[int] = OMIT,
        **call_options: Unpack[KeyedOptions],
    ) -> m.StartedRun:
        """Start a run of a workflow."""
        _answer: m.StartedRun = self._json(
            "POST",
            f"/workflows/{quote(id)}/runs",
            lambda: m.StartedRun,
            call_options,
            body={"input": input, "version_id": version_id, "agent_id": agent_id, "mode": mode, "max_cost_cents": max_cost_cents, "wait_seconds": wait_seconds},
            keyed=True,
        )
        return _answer

    def list_of_workflow(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["queued", "running", "waiting", "succeeded", "failed", "cancelled"]] = OMIT,
        agent_id: Given[str] = OMIT,
        mode: Given[Literal["live", "test"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.WorkflowRunSummary, ListBody[m.WorkflowRunSummary]]:
        """List runs of a workflow."""
        return self._page(
            "GET",
            f"/workflows/{quote(id)}/runs",
            lambda: ListBody[m.WorkflowRunSummary],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status, "agent_id": agent_id, "mode": mode},
        )

    def estimate(
        self,
        id: str,
        /,
        *,
        input: Given[Any] = OMIT,
        version_id: Given[str] = OMIT,
        agent_id: Given[str] = OMIT,
        mode: Given[Literal["live", "test"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.RunEstimate:
        """Estimate the cost of a run."""
        _answer: m.RunEstimate = self._json(
            "POST",
            f"/workflows/{quote(id)}/runs/estimate",
            lambda: m.RunEstimate,
            call_options,
            body={"input": input, "version_id": version_id, "agent_id": agent_id, "mode": mode},
        )
        return _answer

    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["queued", "running", "waiting", "succeeded", "failed", "cancelled"]] = OMIT,
        agent_id: Given[str] = OMIT,
        mode: Given[Literal["live", "test"]] = OMIT,
        workflow_id: Given[str] = OMIT,
        parent_run_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.WorkflowRunSummary, ListBody[m.WorkflowRunSummary]]:
        """List runs."""
        return self._page(
            "GET",
            "/workflow-runs",
            lambda: ListBody[m.WorkflowRunSummary],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status, "agent_id": agent_id, "mode": mode, "workflow_id": workflow_id, "parent_run_id": parent_run_id},
        )

    def get(
        self,
        run_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.WorkflowRun:
        """Get a run."""
        _answer: m.WorkflowRun = self._json(
            "GET",
            f"/workflow-runs/{quote(run_id)}",
            lambda: m.WorkflowRun,
            call_options,
        )
        return _answer

    def events(
        self,
        run_id: str,
        /,
        *,
        last_event_id: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> EventStream:
        """Follow a run."""
        return self._events(
            "GET",
            f"/workflow-runs/{quote(run_id)}/events",
            call_options,
            query={"last_event_id": last_event_id},
        )

    def cancel(
        self,
        run_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.WorkflowRun:
        """Cancel a run."""
        _answer: m.WorkflowRun = self._json(
            "POST",
            f"/workflow-runs/{quote(run_id)}/cancel",
            lambda: m.WorkflowRun,
            call_options,
        )
        return _answer

    def rerun_failed(
        self,
        run_id: str,
        /,
        *,
        accept_unknown_fate: Given[bool] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.WorkflowRun:
        """Repeat the failed steps of a run."""
        _answer: m.WorkflowRun = self._json(
            "POST",
            f"/workflow-runs/{quote(run_id)}/rerun-failed",
            lambda: m.WorkflowRun,
            call_options,
            body={"accept_unknown_fate": accept_unknown_fate},
        )
        return _answer

    def retry_step(
        self,
        run_id: str,
        label: str,
        /,
        *,
        accept_unknown_fate: Given[bool] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.WorkflowRun:
        """Repeat one failed step of a run."""
        _answer: m.WorkflowRun = self._json(
            "POST",
            f"/workflow-runs/{quote(run_id)}/steps/{quote(label)}/retry",
            lambda: m.WorkflowRun,
            call_options,
            body={"accept_unknown_fate": accept_unknown_fate},
        )
        return _answer

    def callback_page(
        self,
        step_id: str,
        token: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> str:
        """Show what a callback address is for."""
        return self._text(
            "GET",
            f"/workflow-callbacks/{quote(step_id)}/{quote(token)}",
            call_options,
        )

    def callback(
        self,
        step_id: str,
        token: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.WorkflowRunsCallbackAnswer:
        """Call back a waiting step."""
        _answer: m.WorkflowRunsCallbackAnswer = self._json(
            "POST",
            f"/workflow-callbacks/{quote(step_id)}/{quote(token)}",
            lambda: m.WorkflowRunsCallbackAnswer,
            call_options,
        )
        return _answer


class AsyncWorkflowRuns(AsyncResource):
    async def start(
        self,
        id: str,
        /,
        *,
        input: Given[Any] = OMIT,
        version_id: Given[str] = OMIT,
        agent_id: Given[str] = OMIT,
        mode: Given[Literal["live", "test"]] = OMIT,
        max_cost_cents: Given[int] = OMIT,
        wait_seconds: Given[int] = OMIT,
        **call_options: Unpack[KeyedOptions],
    ) -> m.StartedRun:
        """Start a run of a workflow."""
        _answer: m.StartedRun = await self._json(
            "POST",
            f"/workflows/{quote(id)}/runs",
            lambda: m.StartedRun,
            call_options,
            body={"input": input, "version_id": version_id, "agent_id": agent_id, "mode": mode, "max_cost_cents": max_cost_cents, "wait_seconds": wait_seconds},
            keyed=True,
        )
        return _answer

    def list_of_workflow(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["queued", "running", "waiting", "succeeded", "failed", "cancelled"]] = OMIT,
        agent_id: Given[str] = OMIT,
        mode: Given[Literal["live", "test"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.WorkflowRunSummary, ListBody[m.WorkflowRunSummary]]:
        """List runs of a workflow."""
        return self._page(
            "GET",
            f"/workflows/{quote(id)}/runs",
            lambda: ListBody[m.WorkflowRunSummary],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status, "agent_id": agent_id, "mode": mode},
        )

    async def estimate(
        self,
        id: str,
        /,
        *,
        input: Given[Any] = OMIT,
        version_id: Given[str] = OMIT,
        agent_id: Given[str] = OMIT,
        mode: Given[Literal["live", "test"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.RunEstimate:
        """Estimate the cost of a run."""
        _answer: m.RunEstimate = await self._json(
            "POST",
            f"/workflows/{quote(id)}/runs/estimate",
            lambda: m.RunEstimate,
            call_options,
            body={"input": input, "version_id": version_id, "agent_id": agent_id, "mode": mode},
        )
        return _answer

    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["queued", "running", "waiting", "succeeded", "failed", "cancelled"]] = OMIT,
        agent_id: Given[str] = OMIT,
        mode: Given[Literal["live", "test"]] = OMIT,
        workflow_id: Given[str] = OMIT,
        parent_run_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.WorkflowRunSummary, ListBody[m.WorkflowRunSummary]]:
        """List runs."""
        return self._page(
            "GET",
            "/workflow-runs",
            lambda: ListBody[m.WorkflowRunSummary],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status, "agent_id": agent_id, "mode": mode, "workflow_id": workflow_id, "parent_run_id": parent_run_id},
        )

    async def get(
        self,
        run_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.WorkflowRun:
        """Get a run."""
        _answer: m.WorkflowRun = await self._json(
            "GET",
            f"/workflow-runs/{quote(run_id)}",
            lambda: m.WorkflowRun,
            call_options,
        )
        return _answer

    def events(
        self,
        run_id: str,
        /,
        *,
        last_event_id: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncEventStream:
        """Follow a run."""
        return self._events(
            "GET",
            f"/workflow-runs/{quote(run_id)}/events",
            call_options,
            query={"last_event_id": last_event_id},
        )

    async def cancel(
        self,
        run_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.WorkflowRun:
        """Cancel a run."""
        _answer: m.WorkflowRun = await self._json(
            "POST",
            f"/workflow-runs/{quote(run_id)}/cancel",
            lambda: m.WorkflowRun,
            call_options,
        )
        return _answer

    async def rerun_failed(
        self,
        run_id: str,
        /,
        *,
        accept_unknown_fate: Given[bool] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.WorkflowRun:
        """Repeat the failed steps of a run."""
        _answer: m.WorkflowRun = await self._json(
            "POST",
            f"/workflow-runs/{quote(run_id)}/rerun-failed",
            lambda: m.WorkflowRun,
            call_options,
            body={"accept_unknown_fate": accept_unknown_fate},
        )
        return _answer

    async def retry_step(
        self,
        run_id: str,
        label: str,
        /,
        *,
        accept_unknown_fate: Given[bool] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.WorkflowRun:
        """Repeat one failed step of a run."""
        _answer: m.WorkflowRun = await self._json(
            "POST",
            f"/workflow-runs/{quote(run_id)}/steps/{quote(label)}/retry",
            lambda: m.WorkflowRun,
            call_options,
            body={"accept_unknown_fate": accept_unknown_fate},
        )
        return _answer

    async def callback_page(
        self,
        step_id: str,
        token: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> str:
        """Show what a callback address is for."""
        return await self._text(
            "GET",
            f"/workflow-callbacks/{quote(step_id)}/{quote(token)}",
            call_options,
        )

    async def callback(
        self,
        step_id: str,
        token: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.WorkflowRunsCallbackAnswer:
        """Call back a waiting step."""
        _answer: m.WorkflowRunsCallbackAnswer = await self._json(
            "POST",
            f"/workflow-callbacks/{quote(step_id)}/{quote(token)}",
            lambda: m.WorkflowRunsCallbackAnswer,
            call_options,
        )
        return _answer
