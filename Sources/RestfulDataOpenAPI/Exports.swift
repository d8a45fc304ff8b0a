// For users of `check`.
@_exported public import OpenAPIFiles
