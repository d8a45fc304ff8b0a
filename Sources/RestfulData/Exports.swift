// One import for users: the local half, the names, the transport, JSON's errors, and the types of header fields.
//
// swift-log is excluded: its `Logger` would be ambiguous beside the system's. Programs that log requests import
// `Logging`.
@_exported public import Conventions
@_exported public import HTTPTypes
@_exported public import JSONBytes
@_exported public import ObjectStore
@_exported public import RESTTransport
@_exported public import ServiceFiles
