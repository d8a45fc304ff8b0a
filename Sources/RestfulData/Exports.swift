// One import for users: the local half, the names, the transport and JSON's errors.
@_exported public import Conventions
@_exported public import JSONBytes
@_exported public import ObjectStore
@_exported public import RESTTransport
