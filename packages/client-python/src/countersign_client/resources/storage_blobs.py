# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations


from typing_extensions import Unpack

from .._options import CallOptions
from .._resource import AsyncResource, Resource, quote


class StorageBlobs(Resource):
    def read(
        self,
        token: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> bytes:
        """Download from a signed URL."""
        return self._bytes(
            "GET",
            f"/storage/blobs/{quote(token)}",
            call_options,
        )

    def write(
        self,
        token: str,
        data: bytes,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Upload to a signed URL."""
        return self._none(
            "PUT",
            f"/storage/blobs/{quote(token)}",
            call_options,
            data=data,
        )


class AsyncStorageBlobs(AsyncResource):
    async def read(
        self,
        token: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> bytes:
        """Download from a signed URL."""
        return await self._bytes(
            "GET",
            f"/storage/blobs/{quote(token)}",
            call_options,
        )

    async def write(
        self,
        token: str,
        data: bytes,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Upload to a signed URL."""
        return await self._none(
            "PUT",
            f"/storage/blobs/{quote(token)}",
            call_options,
            data=data,
        )
