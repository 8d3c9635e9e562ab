# Generated from resources/openapi.json by `npm run generate`. Do not edit.
"""The groups of endpoints; each module is imported at the first use of its group."""
from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .resources import service_requests as _service_requests
    from .resources import traces as _traces
    from .resources import approvals as _approvals
    from .resources import standing_approvals as _standing_approvals
    from .resources import setup as _setup
    from .resources import auth as _auth
    from .resources import factors as _factors
    from .resources import device_sign_in as _device_sign_in
    from .resources import oidc as _oidc
    from .resources import members as _members
    from .resources import teams as _teams
    from .resources import invites as _invites
    from .resources import tokens as _tokens
    from .resources import workspaces as _workspaces
    from .resources import audit as _audit
    from .resources import usage as _usage
    from .resources import ledger as _ledger
    from .resources import billing as _billing
    from .resources import promo as _promo
    from .resources import events as _events
    from .resources import discovery as _discovery
    from .resources import agents as _agents
    from .resources import families as _families
    from .resources import delegated_tasks as _delegated_tasks
    from .resources import activity as _activity
    from .resources import agent_requests as _agent_requests
    from .resources import skills as _skills
    from .resources import conversations as _conversations
    from .resources import memories as _memories
    from .resources import publishing as _publishing
    from .resources import workflow_runs as _workflow_runs
    from .resources import bindings as _bindings
    from .resources import budgets as _budgets
    from .resources import budget_requests as _budget_requests
    from .resources import search as _search
    from .resources import views as _views
    from .resources import secrets as _secrets
    from .resources import notifications as _notifications
    from .resources import policies as _policies
    from .resources import services as _services
    from .resources import mcp_tools as _mcp_tools
    from .resources import apps as _apps
    from .resources import app_callback as _app_callback
    from .resources import storage as _storage
    from .resources import storage_blobs as _storage_blobs
    from .resources import knowledge as _knowledge
    from .resources import workflows as _workflows
    from .resources import scheduled_tasks as _scheduled_tasks
    from .resources import triggers as _triggers
    from .resources import notice_channels as _notice_channels
    from .resources import messenger_links as _messenger_links
    from .resources import webhook_endpoints as _webhook_endpoints
    from .resources import models as _models
    from .resources import speech as _speech
    from .resources import chat as _chat
    from .resources import devices as _devices
    from .resources import device_pairing as _device_pairing
    from .resources import device_sessions as _device_sessions
    from .resources import device_commands as _device_commands
    from ._resource import AsyncCore, Core


class Resources:
    _core: Core

    @cached_property
    def service_requests(self) -> _service_requests.ServiceRequests:
        from .resources.service_requests import ServiceRequests

        return ServiceRequests(self._core)

    @cached_property
    def traces(self) -> _traces.Traces:
        from .resources.traces import Traces

        return Traces(self._core)

    @cached_property
    def approvals(self) -> _approvals.Approvals:
        from .resources.approvals import Approvals

        return Approvals(self._core)

    @cached_property
    def standing_approvals(self) -> _standing_approvals.StandingApprovals:
        from .resources.standing_approvals import StandingApprovals

        return StandingApprovals(self._core)

    @cached_property
    def setup(self) -> _setup.Setup:
        from .resources.setup import Setup

        return Setup(self._core)

    @cached_property
    def auth(self) -> _auth.Auth:
        from .resources.auth import Auth

        return Auth(self._core)

    @cached_property
    def factors(self) -> _factors.Factors:
        from .resources.factors import Factors

        return Factors(self._core)

    @cached_property
    def device_sign_in(self) -> _device_sign_in.DeviceSignIn:
        from .resources.device_sign_in import DeviceSignIn

        return DeviceSignIn(self._core)

    @cached_property
    def oidc(self) -> _oidc.Oidc:
        from .resources.oidc import Oidc

        return Oidc(self._core)

    @cached_property
    def members(self) -> _members.Members:
        from .resources.members import Members

        return Members(self._core)

    @cached_property
    def teams(self) -> _teams.Teams:
        from .resources.teams import Teams

        return Teams(self._core)

    @cached_property
    def invites(self) -> _invites.Invites:
        from .resources.invites import Invites

        return Invites(self._core)

    @cached_property
    def tokens(self) -> _tokens.Tokens:
        from .resources.tokens import Tokens

        return Tokens(self._core)

    @cached_property
    def workspaces(self) -> _workspaces.Workspaces:
        from .resources.workspaces import Workspaces

        return Workspaces(self._core)

    @cached_property
    def audit(self) -> _audit.Audit:
        from .resources.audit import Audit

        return Audit(self._core)

    @cached_property
    def usage(self) -> _usage.Usage:
        from .resources.usage import Usage

        return Usage(self._core)

    @cached_property
    def ledger(self) -> _ledger.Ledger:
        from .resources.ledger import Ledger

        return Ledger(self._core)

    @cached_property
    def billing(self) -> _billing.Billing:
        from .resources.billing import Billing

        return Billing(self._core)

    @cached_property
    def promo(self) -> _promo.Promo:
        from .resources.promo import Promo

        return Promo(self._core)

    @cached_property
    def events(self) -> _events.Events:
        from .resources.events import Events

        return Events(self._core)

    @cached_property
    def discovery(self) -> _discovery.Discovery:
        from .resources.discovery import Discovery

        return Discovery(self._core)

    @cached_property
    def agents(self) -> _agents.Agents:
        from .resources.agents import Agents

        return Agents(self._core)

    @cached_property
    def families(self) -> _families.Families:
        from .resources.families import Families

        return Families(self._core)

    @cached_property
    def delegated_tasks(self) -> _delegated_tasks.DelegatedTasks:
        from .resources.delegated_tasks import DelegatedTasks

        return DelegatedTasks(self._core)

    @cached_property
    def activity(self) -> _activity.Activity:
        from .resources.activity import Activity

        return Activity(self._core)

    @cached_property
    def agent_requests(self) -> _agent_requests.AgentRequests:
        from .resources.agent_requests import AgentRequests

        return AgentRequests(self._core)

    @cached_property
    def skills(self) -> _skills.Skills:
        from .resources.skills import Skills

        return Skills(self._core)

    @cached_property
    def conversations(self) -> _conversations.Conversations:
        from .resources.conversations import Conversations

        return Conversations(self._core)

    @cached_property
    def memories(self) -> _memories.Memories:
        from .resources.memories import Memories

        return Memories(self._core)

    @cached_property
    def publishing(self) -> _publishing.Publishing:
        from .resources.publishing import Publishing

        return Publishing(self._core)

    @cached_property
    def workflow_runs(self) -> _workflow_runs.WorkflowRuns:
        from .resources.workflow_runs import WorkflowRuns

        return WorkflowRuns(self._core)

    @cached_property
    def bindings(self) -> _bindings.Bindings:
        from .resources.bindings import Bindings

        return Bindings(self._core)

    @cached_property
    def budgets(self) -> _budgets.Budgets:
        from .resources.budgets import Budgets

        return Budgets(self._core)

    @cached_property
    def budget_requests(self) -> _budget_requests.BudgetRequests:
        from .resources.budget_requests import BudgetRequests

        return BudgetRequests(self._core)

    @cached_property
    def search(self) -> _search.Search:
        from .resources.search import Search

        return Search(self._core)

    @cached_property
    def views(self) -> _views.Views:
        from .resources.views import Views

        return Views(self._core)

    @cached_property
    def secrets(self) -> _secrets.Secrets:
        from .resources.secrets import Secrets

        return Secrets(self._core)

    @cached_property
    def notifications(self) -> _notifications.Notifications:
        from .resources.notifications import Notifications

        return Notifications(self._core)

    @cached_property
    def policies(self) -> _policies.Policies:
        from .resources.policies import Policies

        return Policies(self._core)

    @cached_property
    def services(self) -> _services.Services:
        from .resources.services import Services

        return Services(self._core)

    @cached_property
    def mcp_tools(self) -> _mcp_tools.McpTools:
        from .resources.mcp_tools import McpTools

        return McpTools(self._core)

    @cached_property
    def apps(self) -> _apps.Apps:
        from .resources.apps import Apps

        return Apps(self._core)

    @cached_property
    def app_callback(self) -> _app_callback.AppCallback:
        from .resources.app_callback import AppCallback

        return AppCallback(self._core)

    @cached_property
    def storage(self) -> _storage.Storage:
        from .resources.storage import Storage

        return Storage(self._core)

    @cached_property
    def storage_blobs(self) -> _storage_blobs.StorageBlobs:
        from .resources.storage_blobs import StorageBlobs

        return StorageBlobs(self._core)

    @cached_property
    def knowledge(self) -> _knowledge.Knowledge:
        from .resources.knowledge import Knowledge

        return Knowledge(self._core)

    @cached_property
    def workflows(self) -> _workflows.Workflows:
        from .resources.workflows import Workflows

        return Workflows(self._core)

    @cached_property
    def scheduled_tasks(self) -> _scheduled_tasks.ScheduledTasks:
        from .resources.scheduled_tasks import ScheduledTasks

        return ScheduledTasks(self._core)

    @cached_property
    def triggers(self) -> _triggers.Triggers:
        from .resources.triggers import Triggers

        return Triggers(self._core)

    @cached_property
    def notice_channels(self) -> _notice_channels.NoticeChannels:
        from .resources.notice_channels import NoticeChannels

        return NoticeChannels(self._core)

    @cached_property
    def messenger_links(self) -> _messenger_links.MessengerLinks:
        from .resources.messenger_links import MessengerLinks

        return MessengerLinks(self._core)

    @cached_property
    def webhook_endpoints(self) -> _webhook_endpoints.WebhookEndpoints:
        from .resources.webhook_endpoints import WebhookEndpoints

        return WebhookEndpoints(self._core)

    @cached_property
    def models(self) -> _models.Models:
        from .resources.models import Models

        return Models(self._core)

    @cached_property
    def speech(self) -> _speech.Speech:
        from .resources.speech import Speech

        return Speech(self._core)

    @cached_property
    def chat(self) -> _chat.Chat:
        from .resources.chat import Chat

        return Chat(self._core)

    @cached_property
    def devices(self) -> _devices.Devices:
        from .resources.devices import Devices

        return Devices(self._core)

    @cached_property
    def device_pairing(self) -> _device_pairing.DevicePairing:
        from .resources.device_pairing import DevicePairing

        return DevicePairing(self._core)

    @cached_property
    def device_sessions(self) -> _device_sessions.DeviceSessions:
        from .resources.device_sessions import DeviceSessions

        return DeviceSessions(self._core)

    @cached_property
    def device_commands(self) -> _device_commands.DeviceCommands:
        from .resources.device_commands import DeviceCommands

        return DeviceCommands(self._core)


class AsyncResources:
    _core: AsyncCore

    @cached_property
    def service_requests(self) -> _service_requests.AsyncServiceRequests:
        from .resources.service_requests import AsyncServiceRequests

        return AsyncServiceRequests(self._core)

    @cached_property
    def traces(self) -> _traces.AsyncTraces:
        from .resources.traces import AsyncTraces

        return AsyncTraces(self._core)

    @cached_property
    def approvals(self) -> _approvals.AsyncApprovals:
        from .resources.approvals import AsyncApprovals

        return AsyncApprovals(self._core)

    @cached_property
    def standing_approvals(self) -> _standing_approvals.AsyncStandingApprovals:
        from .resources.standing_approvals import AsyncStandingApprovals

        return AsyncStandingApprovals(self._core)

    @cached_property
    def setup(self) -> _setup.AsyncSetup:
        from .resources.setup import AsyncSetup

        return AsyncSetup(self._core)

    @cached_property
    def auth(self) -> _auth.AsyncAuth:
        from .resources.auth import AsyncAuth

        return AsyncAuth(self._core)

    @cached_property
    def factors(self) -> _factors.AsyncFactors:
        from .resources.factors import AsyncFactors

        return AsyncFactors(self._core)

    @cached_property
    def device_sign_in(self) -> _device_sign_in.AsyncDeviceSignIn:
        from .resources.device_sign_in import AsyncDeviceSignIn

        return AsyncDeviceSignIn(self._core)

    @cached_property
    def oidc(self) -> _oidc.AsyncOidc:
        from .resources.oidc import AsyncOidc

        return AsyncOidc(self._core)

    @cached_property
    def members(self) -> _members.AsyncMembers:
        from .resources.members import AsyncMembers

        return AsyncMembers(self._core)

    @cached_property
    def teams(self) -> _teams.AsyncTeams:
        from .resources.teams import AsyncTeams

        return AsyncTeams(self._core)

    @cached_property
    def invites(self) -> _invites.AsyncInvites:
        from .resources.invites import AsyncInvites

        return AsyncInvites(self._core)

    @cached_property
    def tokens(self) -> _tokens.AsyncTokens:
        from .resources.tokens import AsyncTokens

        return AsyncTokens(self._core)

    @cached_property
    def workspaces(self) -> _workspaces.AsyncWorkspaces:
        from .resources.workspaces import AsyncWorkspaces

        return AsyncWorkspaces(self._core)

    @cached_property
    def audit(self) -> _audit.AsyncAudit:
        from .resources.audit import AsyncAudit

        return AsyncAudit(self._core)

    @cached_property
    def usage(self) -> _usage.AsyncUsage:
        from .resources.usage import AsyncUsage

        return AsyncUsage(self._core)

    @cached_property
    def ledger(self) -> _ledger.AsyncLedger:
        from .resources.ledger import AsyncLedger

        return AsyncLedger(self._core)

    @cached_property
    def billing(self) -> _billing.AsyncBilling:
        from .resources.billing import AsyncBilling

        return AsyncBilling(self._core)

    @cached_property
    def promo(self) -> _promo.AsyncPromo:
        from .resources.promo import AsyncPromo

        return AsyncPromo(self._core)

    @cached_property
    def events(self) -> _events.AsyncEvents:
        from .resources.events import AsyncEvents

        return AsyncEvents(self._core)

    @cached_property
    def discovery(self) -> _discovery.AsyncDiscovery:
        from .resources.discovery import AsyncDiscovery

        return AsyncDiscovery(self._core)

    @cached_property
    def agents(self) -> _agents.AsyncAgents:
        from .resources.agents import AsyncAgents

        return AsyncAgents(self._core)

    @cached_property
    def families(self) -> _families.AsyncFamilies:
        from .resources.families import AsyncFamilies

        return AsyncFamilies(self._core)

    @cached_property
    def delegated_tasks(self) -> _delegated_tasks.AsyncDelegatedTasks:
        from .resources.delegated_tasks import AsyncDelegatedTasks

        return AsyncDelegatedTasks(self._core)

    @cached_property
    def activity(self) -> _activity.AsyncActivity:
        from .resources.activity import AsyncActivity

        return AsyncActivity(self._core)

    @cached_property
    def agent_requests(self) -> _agent_requests.AsyncAgentRequests:
        from .resources.agent_requests import AsyncAgentRequests

        return AsyncAgentRequests(self._core)

    @cached_property
    def skills(self) -> _skills.AsyncSkills:
        from .resources.skills import AsyncSkills

        return AsyncSkills(self._core)

    @cached_property
    def conversations(self) -> _conversations.AsyncConversations:
        from .resources.conversations import AsyncConversations

        return AsyncConversations(self._core)

    @cached_property
    def memories(self) -> _memories.AsyncMemories:
        from .resources.memories import AsyncMemories

        return AsyncMemories(self._core)

    @cached_property
    def publishing(self) -> _publishing.AsyncPublishing:
        from .resources.publishing import AsyncPublishing

        return AsyncPublishing(self._core)

    @cached_property
    def workflow_runs(self) -> _workflow_runs.AsyncWorkflowRuns:
        from .resources.workflow_runs import AsyncWorkflowRuns

        return AsyncWorkflowRuns(self._core)

    @cached_property
    def bindings(self) -> _bindings.AsyncBindings:
        from .resources.bindings import AsyncBindings

        return AsyncBindings(self._core)

    @cached_property
    def budgets(self) -> _budgets.AsyncBudgets:
        from .resources.budgets import AsyncBudgets

        return AsyncBudgets(self._core)

    @cached_property
    def budget_requests(self) -> _budget_requests.AsyncBudgetRequests:
        from .resources.budget_requests import AsyncBudgetRequests

        return AsyncBudgetRequests(self._core)

    @cached_property
    def search(self) -> _search.AsyncSearch:
        from .resources.search import AsyncSearch

        return AsyncSearch(self._core)

    @cached_property
    def views(self) -> _views.AsyncViews:
        from .resources.views import AsyncViews

        return AsyncViews(self._core)

    @cached_property
    def secrets(self) -> _secrets.AsyncSecrets:
        from .resources.secrets import AsyncSecrets

        return AsyncSecrets(self._core)

    @cached_property
    def notifications(self) -> _notifications.AsyncNotifications:
        from .resources.notifications import AsyncNotifications

        return AsyncNotifications(self._core)

    @cached_property
    def policies(self) -> _policies.AsyncPolicies:
        from .resources.policies import AsyncPolicies

        return AsyncPolicies(self._core)

    @cached_property
    def services(self) -> _services.AsyncServices:
        from .resources.services import AsyncServices

        return AsyncServices(self._core)

    @cached_property
    def mcp_tools(self) -> _mcp_tools.AsyncMcpTools:
        from .resources.mcp_tools import AsyncMcpTools

        return AsyncMcpTools(self._core)

    @cached_property
    def apps(self) -> _apps.AsyncApps:
        from .resources.apps import AsyncApps

        return AsyncApps(self._core)

    @cached_property
    def app_callback(self) -> _app_callback.AsyncAppCallback:
        from .resources.app_callback import AsyncAppCallback

        return AsyncAppCallback(self._core)

    @cached_property
    def storage(self) -> _storage.AsyncStorage:
        from .resources.storage import AsyncStorage

        return AsyncStorage(self._core)

    @cached_property
    def storage_blobs(self) -> _storage_blobs.AsyncStorageBlobs:
        from .resources.storage_blobs import AsyncStorageBlobs

        return AsyncStorageBlobs(self._core)

    @cached_property
    def knowledge(self) -> _knowledge.AsyncKnowledge:
        from .resources.knowledge import AsyncKnowledge

        return AsyncKnowledge(self._core)

    @cached_property
    def workflows(self) -> _workflows.AsyncWorkflows:
        from .resources.workflows import AsyncWorkflows

        return AsyncWorkflows(self._core)

    @cached_property
    def scheduled_tasks(self) -> _scheduled_tasks.AsyncScheduledTasks:
        from .resources.scheduled_tasks import AsyncScheduledTasks

        return AsyncScheduledTasks(self._core)

    @cached_property
    def triggers(self) -> _triggers.AsyncTriggers:
        from .resources.triggers import AsyncTriggers

        return AsyncTriggers(self._core)

    @cached_property
    def notice_channels(self) -> _notice_channels.AsyncNoticeChannels:
        from .resources.notice_channels import AsyncNoticeChannels

        return AsyncNoticeChannels(self._core)

    @cached_property
    def messenger_links(self) -> _messenger_links.AsyncMessengerLinks:
        from .resources.messenger_links import AsyncMessengerLinks

        return AsyncMessengerLinks(self._core)

    @cached_property
    def webhook_endpoints(self) -> _webhook_endpoints.AsyncWebhookEndpoints:
        from .resources.webhook_endpoints import AsyncWebhookEndpoints

        return AsyncWebhookEndpoints(self._core)

    @cached_property
    def models(self) -> _models.AsyncModels:
        from .resources.models import AsyncModels

        return AsyncModels(self._core)

    @cached_property
    def speech(self) -> _speech.AsyncSpeech:
        from .resources.speech import AsyncSpeech

        return AsyncSpeech(self._core)

    @cached_property
    def chat(self) -> _chat.AsyncChat:
        from .resources.chat import AsyncChat

        return AsyncChat(self._core)

    @cached_property
    def devices(self) -> _devices.AsyncDevices:
        from .resources.devices import AsyncDevices

        return AsyncDevices(self._core)

    @cached_property
    def device_pairing(self) -> _device_pairing.AsyncDevicePairing:
        from .resources.device_pairing import AsyncDevicePairing

        return AsyncDevicePairing(self._core)

    @cached_property
    def device_sessions(self) -> _device_sessions.AsyncDeviceSessions:
        from .resources.device_sessions import AsyncDeviceSessions

        return AsyncDeviceSessions(self._core)

    @cached_property
    def device_commands(self) -> _device_commands.AsyncDeviceCommands:
        from .resources.device_commands import AsyncDeviceCommands

        return AsyncDeviceCommands(self._core)
