# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal, Mapping

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, BaseOptions, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Storage(Resource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        prefix: Given[str] = OMIT,
        delimiter: Given[Literal["/"]] = OMIT,
        status: Given[Literal["live", "deleted"]] = OMIT,
        sort: Given[Literal["created_at", "-created_at", "key", "-key"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.StorageObject, ListBody[m.StorageObject]]:
        """List objects."""
        return self._page(
            "GET",
            "/storage/objects",
            lambda: ListBody[m.StorageObject],
            call_options,
            query={"limit": limit, "cursor": cursor, "prefix": prefix, "delimiter": delimiter, "status": status, "sort": sort},
        )

    def upload(
        self,
        data: bytes,
        /,
        *,
        key: Given[str] = OMIT,
        content_type: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.StorageObject:
        """Upload an object."""
        _answer: m.StorageObject = self._json(
            "POST",
            "/storage/objects",
            lambda: m.StorageObject,
            call_options,
            query={"key": key, "content_type": content_type},
            data=data,
        )
        return _answer

    def folders(
        self,
        *,
        prefix: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.StorageFolders:
        """List folders."""
        _answer: m.StorageFolders = self._json(
            "GET",
            "/storage/folders",
            lambda: m.StorageFolders,
            call_options,
            query={"prefix": prefix},
        )
        return _answer

    def usage(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.StorageUsage:
        """Get the used bytes and the limits."""
        _answer: m.StorageUsage = self._json(
            "GET",
            "/storage/usage",
            lambda: m.StorageUsage,
            call_options,
        )
        return _answer

    def presign_upload(
        self,
        *,
        key: str,
        content_type: str,
        size_bytes: int,
        sha256: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.PresignedUpload:
        """Get a URL for an upload."""
        _answer: m.PresignedUpload = self._json(
            "POST",
            "/storage/objects/presign-upload",
            lambda: m.PresignedUpload,
            call_options,
            body={"key": key, "content_type": content_type, "size_bytes": size_bytes, "sha256": sha256},
        )
        return _answer

    def confirm(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.StorageObject:
        """Confirm an upload."""
        _answer: m.StorageObject = self._json(
            "POST",
            f"/storage/objects/{quote(id)}/confirm",
            lambda: m.StorageObject,
            call_options,
        )
        return _answer

    def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.StorageObject:
        """Get an object."""
        _answer: m.StorageObject = self._json(
            "GET",
            f"/storage/objects/{quote(id)}",
            lambda: m.StorageObject,
            call_options,
        )
        return _answer

    def update(
        self,
        id: str,
        /,
        *,
        key: Given[str] = OMIT,
        metadata: Given[Mapping[str, str]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.StorageObject:
        """Rename an object, or replace its metadata."""
        _answer: m.StorageObject = self._json(
            "PATCH",
            f"/storage/objects/{quote(id)}",
            lambda: m.StorageObject,
            call_options,
            body={"key": key, "metadata": metadata},
        )
        return _answer

    def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete an object."""
        return self._none(
            "DELETE",
            f"/storage/objects/{quote(id)}",
            call_options,
        )

    def download(
        self,
        id: str,
        /,
        *,
        workspace: Given[str] = OMIT,
        disposition: Given[Literal["inline", "attachment"]] = OMIT,
        **call_options: Unpack[BaseOptions],
    ) -> bytes:
        """Download an object."""
        return self._bytes(
            "GET",
            f"/storage/objects/{quote(id)}/download",
            call_options,
            query={"workspace": workspace, "disposition": disposition},
        )

    def restore(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.StorageObject:
        """Restore a deleted object."""
        _answer: m.StorageObject = self._json(
            "POST",
            f"/storage/objects/{quote(id)}/restore",
            lambda: m.StorageObject,
            call_options,
        )
        return _answer


class AsyncStorage(AsyncResource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        prefix: Given[str] = OMIT,
        delimiter: Given[Literal["/"]] = OMIT,
        status: Given[Literal["live", "deleted"]] = OMIT,
        sort: Given[Literal["created_at", "-created_at", "key", "-key"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.StorageObject, ListBody[m.StorageObject]]:
        """List objects."""
        return self._page(
            "GET",
            "/storage/objects",
            lambda: ListBody[m.StorageObject],
            call_options,
            query={"limit": limit, "cursor": cursor, "prefix": prefix, "delimiter": delimiter, "status": status, "sort": sort},
        )

    async def upload(
        self,
        data: bytes,
        /,
        *,
        key: Given[str] = OMIT,
        content_type: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.StorageObject:
        """Upload an object."""
        _answer: m.StorageObject = await self._json(
            "POST",
            "/storage/objects",
            lambda: m.StorageObject,
            call_options,
            query={"key": key, "content_type": content_type},
            data=data,
        )
        return _answer

    async def folders(
        self,
        *,
        prefix: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.StorageFolders:
        """List folders."""
        _answer: m.StorageFolders = await self._json(
            "GET",
            "/storage/folders",
            lambda: m.StorageFolders,
            call_options,
            query={"prefix": prefix},
        )
        return _answer

    async def usage(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.StorageUsage:
        """Get the used bytes and the limits."""
        _answer: m.StorageUsage = await self._json(
            "GET",
            "/storage/usage",
            lambda: m.StorageUsage,
            call_options,
        )
        return _answer

    async def presign_upload(
        self,
        *,
        key: str,
        content_type: str,
        size_bytes: int,
        sha256: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.PresignedUpload:
        """Get a URL for an upload."""
        _answer: m.PresignedUpload = await self._json(
            "POST",
            "/storage/objects/presign-upload",
            lambda: m.PresignedUpload,
            call_options,
            body={"key": key, "content_type": content_type, "size_bytes": size_bytes, "sha256": sha256},
        )
        return _answer

    async def confirm(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.StorageObject:
        """Confirm an upload."""
        _answer: m.StorageObject = await self._json(
            "POST",
            f"/storage/objects/{quote(id)}/confirm",
            lambda: m.StorageObject,
            call_options,
        )
        return _answer

    async def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.StorageObject:
        """Get an object."""
        _answer: m.StorageObject = await self._json(
            "GET",
            f"/storage/objects/{quote(id)}",
            lambda: m.StorageObject,
            call_options,
        )
        return _answer

    async def update(
        self,
        id: str,
        /,
        *,
        key: Given[str] = OMIT,
        metadata: Given[Mapping[str, str]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.StorageObject:
        """Rename an object, or replace its metadata."""
        _answer: m.StorageObject = await self._json(
            "PATCH",
            f"/storage/objects/{quote(id)}",
            lambda: m.StorageObject,
            call_options,
            body={"key": key, "metadata": metadata},
        )
        return _answer

    async def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete an object."""
        return await self._none(
            "DELETE",
            f"/storage/objects/{quote(id)}",
            call_options,
        )

    async def download(
        self,
        id: str,
        /,
        *,
        workspace: Given[str] = OMIT,
        disposition: Given[Literal["inline", "attachment"]] = OMIT,
        **call_options: Unpack[BaseOptions],
    ) -> bytes:
        """Download an object."""
        return await self._bytes(
            "GET",
            f"/storage/objects/{quote(id)}/download",
            call_options,
            query={"workspace": workspace, "disposition": disposition},
        )

    async def restore(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.StorageObject:
        """Restore a deleted object."""
        _answer: m.StorageObject = await self._json(
            "POST",
            f"/storage/objects/{quote(id)}/restore",
            lambda: m.StorageObject,
            call_options,
        )
        return _answer
