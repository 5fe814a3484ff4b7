"""Flight's ten methods as gRPC handlers: bytes in, bytes out.

The handlers take and give raw bytes, so that nothing is generated and nothing is parsed twice. A
stream's handler runs in the thread of its call: gRPC asks it for the next message once the last one
was taken by the network, which is all the back-pressure a stream needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import grpc

from lakeport.core.errors import LimitError
from lakeport.flight.call import Call, Method
from lakeport.flight.incoming import IncomingStream
from lakeport.flight.limits import Limits
from lakeport.flight.messages import (
    Action,
    FlightDescriptor,
    Handshake,
    Ticket,
    decode_criteria,
    encode_result,
)
from lakeport.flight.outgoing import frames
from lakeport.flight.rpc import House, Rpc
from lakeport.flight.service import FlightService

SERVICE = "arrow.flight.protocol.FlightService"


@dataclass(frozen=True, slots=True)
class Handlers:
    """Each method: what the service is asked, and its answer as bytes."""

    service: FlightService
    limits: Limits
    house: House

    def generic(self) -> grpc.GenericRpcHandler:
        one_to_one: dict[Method, Callable[[Call, bytes], bytes]] = {
            Method.GET_FLIGHT_INFO: self._flight_info,
            Method.POLL_FLIGHT_INFO: self._poll,
            Method.GET_SCHEMA: self._schema,
        }
        one_to_many: dict[Method, Callable[[Call, bytes], Iterator[bytes]]] = {
            Method.LIST_FLIGHTS: self._list_flights,
            Method.LIST_ACTIONS: self._list_actions,
            Method.DO_ACTION: self._action,
        }
        many_to_many: dict[Method, Callable[[Call, Iterator[bytes]], Iterator[bytes]]] = {
            Method.HANDSHAKE: self._handshake,
            Method.DO_PUT: self._put,
        }
        handlers: dict[str, grpc.RpcMethodHandler[Any, bytes]] = {}
        for method, single in one_to_one.items():
            handlers[method] = grpc.unary_unary_rpc_method_handler(self._single(method, single))
        for method, listed in one_to_many.items():
            many = self._many(method, listed, Rpc.listed)
            handlers[method] = grpc.unary_stream_rpc_method_handler(many)
        rows = self._many(Method.DO_GET, self._get, Rpc.streamed)
        handlers[Method.DO_GET] = grpc.unary_stream_rpc_method_handler(rows)
        for method, stream in many_to_many.items():
            handlers[method] = grpc.stream_stream_rpc_method_handler(self._stream(method, stream))
        handlers[Method.DO_EXCHANGE] = grpc.stream_stream_rpc_method_handler(self._exchange)
        return grpc.method_handlers_generic_handler(SERVICE, handlers)

    def _flight_info(self, call: Call, request: bytes) -> bytes:
        return self.service.get_flight_info(call, FlightDescriptor.decode(request)).encode()

    def _poll(self, call: Call, request: bytes) -> bytes:
        return self.service.poll_flight_info(call, FlightDescriptor.decode(request)).encode()

    def _schema(self, call: Call, request: bytes) -> bytes:
        schema = self.service.get_schema(call, FlightDescriptor.decode(request))
        return encode_result(bytes(schema.serialize()))

    def _list_flights(self, call: Call, request: bytes) -> Iterator[bytes]:
        found = self.service.list_flights(call, decode_criteria(request))
        return (info.encode() for info in found)

    def _list_actions(self, call: Call, _: bytes) -> Iterator[bytes]:
        return (action.encode() for action in self.service.list_actions(call))

    def _action(self, call: Call, request: bytes) -> Iterator[bytes]:
        results = self.service.do_action(call, Action.decode(request))
        return (encode_result(body) for body in results)

    def _get(self, call: Call, request: bytes) -> Iterator[bytes]:
        outgoing = self.service.do_get(call, Ticket.decode(request).ticket)
        return frames(outgoing, call, self.limits)

    def _handshake(self, call: Call, requests: Iterator[bytes]) -> Iterator[bytes]:
        decoded = (Handshake.decode(request) for request in requests)
        return (answer.encode() for answer in self.service.handshake(call, decoded))

    def _put(self, call: Call, requests: Iterator[bytes]) -> Iterator[bytes]:
        incoming = IncomingStream(call, requests, self.limits)
        return (encode_result(metadata) for metadata in self.service.do_put(call, incoming))

    def _exchange(
        self, requests: Iterator[bytes], context: grpc.ServicerContext
    ) -> Iterator[bytes]:
        with Rpc(self.house, Method.DO_EXCHANGE, context) as rpc:
            rpc.admit(self.service.authenticate)
            incoming = IncomingStream(rpc.call, rpc.received(requests), self.limits)
            outgoing = self.service.do_exchange(rpc.call, incoming)
            messages = frames(outgoing, rpc.call, self.limits)
            yield from rpc.in_turn(messages) if outgoing.in_turn else rpc.streamed(messages)

    def _single(
        self, method: Method, answer: Callable[[Call, bytes], bytes]
    ) -> Callable[[bytes, grpc.ServicerContext], bytes]:
        def handle(request: bytes, context: grpc.ServicerContext) -> bytes:
            with Rpc(self.house, method, context) as rpc:
                rpc.admit(self.service.authenticate)
                self._weigh(rpc.call, request)
                (answered,) = rpc.sent(answer(rpc.call, request))
                return answered

        return handle

    def _many(
        self,
        method: Method,
        answer: Callable[[Call, bytes], Iterator[bytes]],
        sent: Callable[[Rpc, Iterator[bytes]], Iterator[bytes]],
    ) -> Callable[[bytes, grpc.ServicerContext], Iterator[bytes]]:
        def handle(request: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
            with Rpc(self.house, method, context) as rpc:
                rpc.admit(self.service.authenticate)
                self._weigh(rpc.call, request)
                yield from sent(rpc, answer(rpc.call, request))

        return handle

    def _stream(
        self, method: Method, answer: Callable[[Call, Iterator[bytes]], Iterator[bytes]]
    ) -> Callable[[Iterator[bytes], grpc.ServicerContext], Iterator[bytes]]:
        def handle(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
            with Rpc(self.house, method, context) as rpc:
                rpc.admit(self.service.authenticate)
                yield from rpc.streamed(answer(rpc.call, rpc.received(requests)))

        return handle

    def _weigh(self, call: Call, request: bytes) -> None:
        call.traffic.bytes_in += len(request)
        most = self.limits.action_bytes
        if len(request) > most:
            raise LimitError(
                f"the request has {len(request):,} bytes, more than the {most:,} allowed",
                hint="send less, or raise `server.limits.action_bytes`",
                details={"limit": "action_bytes"},
            )
