import JSONBytes

/// Runs `body` over a copy of the bytes in an allocation of just that size, so that AddressSanitizer sees any read
/// outside it.
func withExactCopy<R>(_ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    // Freed below, after the last use.
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { unsafe copy.deallocate() }
    unsafe copy.copyBytes(from: bytes)
    return try unsafe body(UnsafeRawBufferPointer(copy))
}

func withReader<R>(
    _ bytes: [UInt8], limits: JSONLimits = .standard, _ body: (inout JSONReader) throws -> R
) throws -> R {
    try unsafe withExactCopy(bytes) { copy in
        var reader = try unsafe JSONReader(unsafe: copy, limits: limits)
        return try body(&reader)
    }
}

func withReader<R>(_ text: String, _ body: (inout JSONReader) throws -> R) throws -> R {
    try withReader(Array(text.utf8), body)
}

/// The document's error, found by skipping it whole; nil for a valid one.
func errorOfSkipping(_ bytes: [UInt8], limits: JSONLimits = .standard) -> JSONError? {
    error {
        try withReader(bytes, limits: limits) { reader in
            _ = try reader.skipValue()
            try reader.finish()
        }
    }
}

/// The document's error, found by reading every key and value; nil for a valid one.
func errorOfReading(_ bytes: [UInt8]) -> JSONError? {
    error { _ = try JSONTree(reading: bytes) }
}

private func error(_ body: () throws -> Void) -> JSONError? {
    do {
        try body()
        return nil
    } catch {
        return error as? JSONError
    }
}
