public import Conventions
public import Foundation
public import ObjectStore

/// What can stand for a name in a URL's template, or for a value in its query: texts, numbers, booleans, dates, UUIDs,
/// URLs, each optional.
///
/// ```swift
/// let issue = try await Issue.fetch(
///     "/repos/:owner/:name/issues/:number", ["owner": login, "name": name, "number": 5], in: context)
/// let recent = try await Issue.fetchAll(
///     query: ["since": Date.now.addingTimeInterval(-3600), "labels": label], in: context)
/// ```
///
/// A value goes into the URL as the API writes it in JSON: a date in the format of the API's ``ValueFormats``. A `nil`
/// leaves a parameter of the query out, and is an error in a path; what has no text, as NaN, is an error in both. An
/// enum with a raw value declares the conformance and needs nothing more: `extension Issue.State: RouteValueConvertible
/// {}`.
public protocol RouteValueConvertible: Sendable {
    /// The text in the URL, unescaped; ``RouteValue/missing`` where there is none.
    ///
    /// - Parameter formats: how the API writes values.
    func routeValue(as formats: ValueFormats) -> RouteValue
}

extension RouteValueConvertible where Self: AttributeValue {
    /// The value's text in JSON.
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
    /// The raw value's text.
    public func routeValue(as formats: ValueFormats) -> RouteValue { rawValue.routeValue(as: formats) }
}

extension Optional: RouteValueConvertible where Wrapped: RouteValueConvertible {
    /// The value's text, if there is a value.
    public func routeValue(as formats: ValueFormats) -> RouteValue { self?.routeValue(as: formats) ?? .missing }
}

extension RouteValue: RouteValueConvertible {
    /// Itself.
    public func routeValue(as formats: ValueFormats) -> RouteValue { self }
}

extension Substring: RouteValueConvertible {
    /// Itself.
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
    /// The values of a template's names, as the API writes them.
    func routeValues(as formats: ValueFormats) -> [String: RouteValue] { mapValues { $0.routeValue(as: formats) } }
}
