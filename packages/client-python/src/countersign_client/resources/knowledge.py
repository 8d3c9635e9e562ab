# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal

from typing_extensions import Unpack

from .. import models as m
from .. import params as p
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Knowledge(Resource):
    def list_collections(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        q: Given[str] = OMIT,
        sort: Given[Literal["created_at", "-created_at", "name", "-name"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.KnowledgeCollection, ListBody[m.KnowledgeCollection]]:
        """List collections."""
        return self._page(
            "GET",
            "/knowledge/collections",
            lambda: ListBody[m.KnowledgeCollection],
            call_options,
            query={"limit": limit, "cursor": cursor, "q": q, "sort": sort},
        )

    def create_collection(
        self,
        *,
        name: str,
        description: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.KnowledgeCollection:
        """Create a collection."""
        _answer: m.KnowledgeCollection = self._json(
            "POST",
            "/knowledge/collections",
            lambda: m.KnowledgeCollection,
            call_options,
            body={"name": name, "description": description},
        )
        return _answer

    def get_collection(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.KnowledgeCollection:
        """Get a collection."""
        _answer: m.KnowledgeCollection = self._json(
            "GET",
            f"/knowledge/collections/{quote(id)}",
            lambda: m.KnowledgeCollection,
            call_options,
        )
        return _answer

    def remove_collection(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a collection."""
        return self._none(
            "DELETE",
            f"/knowledge/collections/{quote(id)}",
            call_options,
        )

    def reindex(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.KnowledgeCollection:
        """Reindex a collection."""
        _answer: m.KnowledgeCollection = self._json(
            "POST",
            f"/knowledge/collections/{quote(id)}/reindex",
            lambda: m.KnowledgeCollection,
            call_options,
        )
        return _answer

    def list_documents(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        q: Given[str] = OMIT,
        status: Given[Literal["queued", "processing", "ready", "failed"]] = OMIT,
        sort: Given[Literal["created_at", "-created_at", "title", "-title"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.KnowledgeDocument, ListBody[m.KnowledgeDocument]]:
        """List documents of a collection."""
        return self._page(
            "GET",
            f"/knowledge/collections/{quote(id)}/documents",
            lambda: ListBody[m.KnowledgeDocument],
            call_options,
            query={"limit": limit, "cursor": cursor, "q": q, "status": status, "sort": sort},
        )

    def add_document(
        self,
        id: str,
        /,
        *,
        title: Given[str] = OMIT,
        content_type: Given[Literal["text/plain", "text/markdown", "text/html"]] = OMIT,
        text: Given[str] = OMIT,
        object_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.KnowledgeDocument:
        """Add a document."""
        _answer: m.KnowledgeDocument = self._json(
            "POST",
            f"/knowledge/collections/{quote(id)}/documents",
            lambda: m.KnowledgeDocument,
            call_options,
            body={"title": title, "content_type": content_type, "text": text, "object_id": object_id},
        )
        return _answer

    def get_document(
        self,
        id: str,
        doc_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.KnowledgeDocument:
        """Get a document."""
        _answer: m.KnowledgeDocument = self._json(
            "GET",
            f"/knowledge/collections/{quote(id)}/documents/{quote(doc_id)}",
            lambda: m.KnowledgeDocument,
            call_options,
        )
        return _answer

    def remove_document(
        self,
        id: str,
        doc_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a document."""
        return self._none(
            "DELETE",
            f"/knowledge/collections/{quote(id)}/documents/{quote(doc_id)}",
            call_options,
        )

    def retry_document(
        self,
        id: str,
        doc_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.KnowledgeDocument:
        """Retry a failed document."""
        _answer: m.KnowledgeDocument = self._json(
            "POST",
            f"/knowledge/collections/{quote(id)}/documents/{quote(doc_id)}/retry",
            lambda: m.KnowledgeDocument,
            call_options,
        )
        return _answer

    def list_passages(
        self,
        id: str,
        doc_id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        from_: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.KnowledgePassage, ListBody[m.KnowledgePassage]]:
        """List the passages of a document."""
        return self._page(
            "GET",
            f"/knowledge/collections/{quote(id)}/documents/{quote(doc_id)}/chunks",
            lambda: ListBody[m.KnowledgePassage],
            call_options,
            query={"limit": limit, "cursor": cursor, "from": from_},
        )

    def query(
        self,
        id: str,
        /,
        *,
        query: str,
        top_k: Given[int] = OMIT,
        filter: Given[p.KnowledgeFilter] = OMIT,
        hybrid: Given[bool] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.KnowledgeQueryAnswer:
        """Find passages that answer a question."""
        _answer: m.KnowledgeQueryAnswer = self._json(
            "POST",
            f"/knowledge/collections/{quote(id)}/query",
            lambda: m.KnowledgeQueryAnswer,
            call_options,
            body={"query": query, "top_k": top_k, "filter": filter, "hybrid": hybrid},
        )
        return _answer


class AsyncKnowledge(AsyncResource):
    def list_collections(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        q: Given[str] = OMIT,
        sort: Given[Literal["created_at", "-created_at", "name", "-name"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.KnowledgeCollection, ListBody[m.KnowledgeCollection]]:
        """List collections."""
        return self._page(
            "GET",
            "/knowledge/collections",
            lambda: ListBody[m.KnowledgeCollection],
            call_options,
            query={"limit": limit, "cursor": cursor, "q": q, "sort": sort},
        )

    async def create_collection(
        self,
        *,
        name: str,
        description: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.KnowledgeCollection:
        """Create a collection."""
        _answer: m.KnowledgeCollection = await self._json(
            "POST",
            "/knowledge/collections",
            lambda: m.KnowledgeCollection,
            call_options,
            body={"name": name, "description": description},
        )
        return _answer

    async def get_collection(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.KnowledgeCollection:
        """Get a collection."""
        _answer: m.KnowledgeCollection = await self._json(
            "GET",
            f"/knowledge/collections/{quote(id)}",
            lambda: m.KnowledgeCollection,
            call_options,
        )
        return _answer

    async def remove_collection(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a collection."""
        return await self._none(
            "DELETE",
            f"/knowledge/collections/{quote(id)}",
            call_options,
        )

    async def reindex(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.KnowledgeCollection:
        """Reindex a collection."""
        _answer: m.KnowledgeCollection = await self._json(
            "POST",
            f"/knowledge/collections/{quote(id)}/reindex",
            lambda: m.KnowledgeCollection,
            call_options,
        )
        return _answer

    def list_documents(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        q: Given[str] = OMIT,
        status: Given[Literal["queued", "processing", "ready", "failed"]] = OMIT,
        sort: Given[Literal["created_at", "-created_at", "title", "-title"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.KnowledgeDocument, ListBody[m.KnowledgeDocument]]:
        """List documents of a collection."""
        return self._page(
            "GET",
            f"/knowledge/collections/{quote(id)}/documents",
            lambda: ListBody[m.KnowledgeDocument],
            call_options,
            query={"limit": limit, "cursor": cursor, "q": q, "status": status, "sort": sort},
        )

    async def add_document(
        self,
        id: str,
        /,
        *,
        title: Given[str] = OMIT,
        content_type: Given[Literal["text/plain", "text/markdown", "text/html"]] = OMIT,
        text: Given[str] = OMIT,
        object_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.KnowledgeDocument:
        """Add a document."""
        _answer: m.KnowledgeDocument = await self._json(
            "POST",
            f"/knowledge/collections/{quote(id)}/documents",
            lambda: m.KnowledgeDocument,
            call_options,
            body={"title": title, "content_type": content_type, "text": text, "object_id": object_id},
        )
        return _answer

    async def get_document(
        self,
        id: str,
        doc_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.KnowledgeDocument:
        """Get a document."""
        _answer: m.KnowledgeDocument = await self._json(
            "GET",
            f"/knowledge/collections/{quote(id)}/documents/{quote(doc_id)}",
            lambda: m.KnowledgeDocument,
            call_options,
        )
        return _answer

    async def remove_document(
        self,
        id: str,
        doc_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a document."""
        return await self._none(
            "DELETE",
            f"/knowledge/collections/{quote(id)}/documents/{quote(doc_id)}",
            call_options,
        )

    async def retry_document(
        self,
        id: str,
        doc_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.KnowledgeDocument:
        """Retry a failed document."""
        _answer: m.KnowledgeDocument = await self._json(
            "POST",
            f"/knowledge/collections/{quote(id)}/documents/{quote(doc_id)}/retry",
            lambda: m.KnowledgeDocument,
            call_options,
        )
        return _answer

    def list_passages(
        self,
        id: str,
        doc_id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        from_: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.KnowledgePassage, ListBody[m.KnowledgePassage]]:
        """List the passages of a document."""
        return self._page(
            "GET",
            f"/knowledge/collections/{quote(id)}/documents/{quote(doc_id)}/chunks",
            lambda: ListBody[m.KnowledgePassage],
            call_options,
            query={"limit": limit, "cursor": cursor, "from": from_},
        )

    async def query(
        self,
        id: str,
        /,
        *,
        query: str,
        top_k: Given[int] = OMIT,
        filter: Given[p.KnowledgeFilter] = OMIT,
        hybrid: Given[bool] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.KnowledgeQueryAnswer:
        """Find passages that answer a question."""
        _answer: m.KnowledgeQueryAnswer = await self._json(
            "POST",
            f"/knowledge/collections/{quote(id)}/query",
            lambda: m.KnowledgeQueryAnswer,
            call_options,
            body={"query": query, "top_k": top_k, "filter": filter, "hybrid": hybrid},
        )
        return _answer
