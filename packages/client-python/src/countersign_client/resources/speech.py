# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List

from typing_extensions import Unpack

from .. import models as m
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource


class Speech(Resource):
    def voices(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.VoiceList:
        """List voices."""
        _answer: m.VoiceList = self._json(
            "GET",
            "/tts",
            lambda: m.VoiceList,
            call_options,
        )
        return _answer

    def say(
        self,
        *,
        text: str,
        voice: str,
        speed: Given[float] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> bytes:
        """Speak a text."""
        return self._bytes(
            "POST",
            "/tts",
            call_options,
            body={"text": text, "voice": voice, "speed": speed},
        )


class AsyncSpeech(AsyncResource):
    async def voices(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.VoiceList:
        """List voices."""
        _answer: m.VoiceList = await self._json(
            "GET",
            "/tts",
            lambda: m.VoiceList,
            call_options,
        )
        return _answer

    async def say(
        self,
        *,
        text: str,
        voice: str,
        speed: Given[float] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> bytes:
        """Speak a text."""
        return await self._bytes(
            "POST",
            "/tts",
            call_options,
            body={"text": text, "voice": voice, "speed": speed},
        )
