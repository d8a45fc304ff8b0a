// Exports descriptions and their errors for users of `check`.
@_exported public import OpenAPIFiles
