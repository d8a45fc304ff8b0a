/// What a JSON value is, told by its first byte.
@usableFromInline package enum JSONKind: UInt8, Sendable {
    case object, array, string, number, `true`, `false`, null
}
