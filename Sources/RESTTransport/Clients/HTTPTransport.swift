#if canImport(AsyncHTTPClient) && !canImport(Darwin)
    /// The platform's client: AsyncHTTPClient on Linux, URLSession on Apple platforms.
    ///
    /// ``HTTPTransport/standard`` is the one to use where nothing special is wanted.
    public typealias HTTPTransport = AsyncHTTPClientTransport
#else
    /// The platform's client: AsyncHTTPClient on Linux, URLSession on Apple platforms.
    ///
    /// ``HTTPTransport/standard`` is the one to use where nothing special is wanted.
    public typealias HTTPTransport = URLSessionTransport
#endif
