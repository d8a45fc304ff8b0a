public import Conventions
public import Foundation
public import ObjectStore

/// A type of values for templates and queries. Texts, numbers, booleans, dates, UUIDs, URLs and their optionals
/// conform.
///
/// ```swift
/// let recent = try await Issue.fetchAll(
///     query: ["since": Date.now.addingTimeInterval(-3600), "labels": label], in: context)
/// ```
///
/// A value is written as in the API's JSON: a date has the format of the API's ``ValueFormats``. `nil` removes a
/// parameter from the query, and is an error in a path. A value without text, such as NaN, is an error.
///
/// An enum with a raw value only declares the conformance: `extension Issue.State: RouteValueConvertible {}`.
public protocol RouteValueConvertible: Sendable {
    /// Returns the text in the URL, unescaped, or ``RouteValue/missing`` if there is none.
    ///
    /// - Parameter formats: the API's formats of values.
    func routeValue(as formats: ValueFormats) -> RouteValue
}

extension RouteValueConvertible where Self: AttributeValue {
    /// Returns the value's text in JSON.
    public func routeValue(as formats: ValueFormats) -> RouteValue {
        do {
            return try OutboundJSON(WireText(stored, Self.kind, as: formats)).routeText.map { RouteValue($0) }
                ?? .missing
        } catch {
            return .refused(error.value)
        }
    }
}

extension RouteValueConvertible where Self: RawRepresentable, RawValue: RouteValueConvertible {
    /// Returns the raw value's text.
    public func routeValue(as formats: ValueFormats) -> RouteValue { rawValue.routeValue(as: formats) }
}

extension Optional: RouteValueConvertible where Wrapped: RouteValueConvertible {
    /// Returns the wrapped value's text, or ``RouteValue/missing`` for nil.
    public func routeValue(as formats: ValueFormats) -> RouteValue { self?.routeValue(as: formats) ?? .missing }
}

extension RouteValue: RouteValueConvertible {
    /// Returns this value.
    public func routeValue(as formats: ValueFormats) -> RouteValue { self }
}

extension Substring: RouteValueConvertible {
    /// Returns the text itself.
    public func routeValue(as formats: ValueFormats) -> RouteValue { RouteValue(self) }
}

extension String: RouteValueConvertible {}
extension Bool: RouteValueConvertible {}
extension Int: RouteValueConvertible {}
extension Int8: RouteValueConvertible {}
extension Int16: RouteValueConvertible {}
extension Int32: RouteValueConvertible {}
extension Int64: RouteValueConvertible {}
extension Int128: RouteValueConvertible {}
extension UInt: RouteValueConvertible {}
extension UInt8: RouteValueConvertible {}
extension UInt16: RouteValueConvertible {}
extension UInt32: RouteValueConvertible {}
extension UInt64: RouteValueConvertible {}
extension UInt128: RouteValueConvertible {}
extension Double: RouteValueConvertible {}
extension Float: RouteValueConvertible {}
extension Decimal: RouteValueConvertible {}
extension Date: RouteValueConvertible {}
extension UUID: RouteValueConvertible {}
extension URL: RouteValueConvertible {}

extension [String: any RouteValueConvertible] {
    func routeValues(as formats: ValueFormats) -> [String: RouteValue] { mapValues { $0.routeValue(as: formats) } }
}
