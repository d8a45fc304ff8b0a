import Conventions
import Foundation
import JSONBytes
import ObjectStore
import RESTTransport
import ServiceFiles

enum ServiceArgument {
    case missing
    case value(any RouteValueConvertible)
    case json(JSONValue)
    case object(ObjectState, Schema)
    case body(RequestBody)
    case file(URL)
    case parts([MultipartPart])
    case list([ServiceArgument])

    init(_ argument: Any?) throws(ServiceCallMistake) {
        guard let argument = argument.flatMap(Self.unwrapped) else {
            self = .missing
            return
        }
        switch argument {
        case let json as JSONValue: self = .json(json)
        case let data as Data: self = .body(.bytes([UInt8](data)))
        case let bytes as [UInt8]: self = .body(.bytes(bytes))
        case let body as RequestBody: self = .body(body)
        case let url as URL where url.isFileURL: self = .file(url)
        case let part as MultipartPart: self = .parts([part])
        case let parts as [MultipartPart]: self = .parts(parts)
        case let model as any Model:
            guard let context = model._object.context else { throw ServiceCallMistake("the object is in no context") }
            self = .object(model._object, context.schema)
        case let value as any RouteValueConvertible: self = .value(value)
        case let list as [Any?] where list.allSatisfy({ ($0 as? any Encodable) == nil || $0 is URL }):
            self = .list(try list.map { element throws(ServiceCallMistake) in try ServiceArgument(element) })
        case let value as any Encodable: self = .json(try Self.json(of: value))
        default:
            throw ServiceCallMistake("a \(type(of: argument)) is no value, model, data, file or Encodable value")
        }
    }

    private static func unwrapped(_ value: Any) -> Any? {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return value }
        return mirror.children.first?.value
    }

    private static func json(of value: some Encodable) throws(ServiceCallMistake) -> JSONValue {
        do throws(APIError) { return JSONValue(try APIClient.json(value)) ?? .null } catch {
            throw ServiceCallMistake("\(error)")
        }
    }

    // MARK: As text

    /// ``RouteValue/missing`` if the argument or its property is nil.
    func routeValue(
        at place: ArgumentPlace, as formats: ValueFormats
    ) throws(ServiceCallMistake) -> RouteValue {
        switch self {
        case .missing: return .missing
        case .value(let value) where place.property.isEmpty: return value.routeValue(as: formats)
        case .json, .object, .value:
            let json = try json(at: place, as: formats)
            guard let text = json.scalarText else {
                if json == .null { return .missing }
                throw ServiceCallMistake(
                    "\(place) is no single value; name one of its properties, as in %\(place.index)[id]")
            }
            return RouteValue(text)
        case .body, .file, .parts, .list:
            throw ServiceCallMistake("\(place) is to be a text, and \(kind) was given")
        }
    }

    // MARK: As JSON

    func json(at place: ArgumentPlace, as formats: ValueFormats) throws(ServiceCallMistake) -> JSONValue {
        switch self {
        case .missing: return .null
        case .value(let value):
            guard place.property.isEmpty else { throw ServiceCallMistake("\(place) asks for a property of \(kind)") }
            return try Self.json(value, as: formats)
        case .json(let json): return try Self.value(at: place, in: json)
        case .object(let object, let schema):
            guard place.property.isEmpty else { return try Self.property(at: place, of: object, in: schema) }
            return try Self.key(of: object, for: place)
        case .list(let elements):
            return .array(
                try elements.map { element throws(ServiceCallMistake) in try element.json(at: place, as: formats) })
        case .body, .file, .parts:
            throw ServiceCallMistake("\(place) is to be JSON, and \(kind) was given")
        }
    }

    /// As an attribute of its type, also for an enum with a raw value.
    private static func json(
        _ value: any RouteValueConvertible, as formats: ValueFormats
    ) throws(ServiceCallMistake) -> JSONValue {
        if let attribute = value as? any AttributeValue { return try json(ofAttribute: attribute, as: formats) }
        if let raw = (value as? any RawRepresentable)?.rawValue as? any AttributeValue {
            return try json(ofAttribute: raw, as: formats)
        }
        let route = value.routeValue(as: formats)
        if let refusal = route.refusal { throw ServiceCallMistake("\(refusal) can't be sent") }
        return route.text.map { .string($0) } ?? .null
    }

    private static func json<Value: AttributeValue>(
        ofAttribute value: Value, as formats: ValueFormats
    ) throws(ServiceCallMistake) -> JSONValue {
        do {
            return JSONValue(OutboundJSON(try WireText(value.stored, Value.kind, as: formats)).bytes) ?? .null
        } catch {
            throw ServiceCallMistake("\(error.value) can't be sent")
        }
    }

    private static func value(at place: ArgumentPlace, in json: JSONValue) throws(ServiceCallMistake) -> JSONValue {
        var json = json
        for name in place.property {
            guard case .object(let members) = json else { throw ServiceCallMistake("\(place) leads to no value") }
            guard let member = members[name] else {
                let nearest = nearestName(to: name, among: members.keys.sorted())
                throw ServiceCallMistake(
                    "\(place): there is no \"\(name)\"" + (nearest.map { "; did you mean \"\($0)\"?" } ?? ""))
            }
            json = member
        }
        return json
    }

    private static func key(of object: ObjectState, for place: ArgumentPlace) throws(ServiceCallMistake) -> JSONValue {
        guard let key = object.model.key ?? object.model.identity.last else {
            throw ServiceCallMistake(
                "\(place): a \(object.model.modelName) has no key; name a property, as in \(place)[name]")
        }
        let value = try json(of: object.model[key], in: object)
        guard value != .null else { throw ServiceCallMistake("\(place): the \(object.model.modelName) has no key yet") }
        return value
    }

    private static func property(
        at place: ArgumentPlace, of object: ObjectState, in schema: Schema
    ) throws(ServiceCallMistake) -> JSONValue {
        let resolver = KeyPathResolver(schema)
        guard resolver.isKnown(place.property, from: object.model) else {
            let nearest = resolver.suggestion(place.property.joined(separator: "."), from: object.model)
            throw ServiceCallMistake(
                "\(place): a \(object.model.modelName) has no such property"
                    + (nearest.map { "; did you mean \"\($0)\"?" } ?? ""))
        }
        guard let (row, property) = resolver.place(place.property, of: object) else { return .null }
        return try json(of: property, in: row)
    }

    private static func json(of property: Property, in row: any OutboundRow) throws(ServiceCallMistake) -> JSONValue {
        guard case .attribute = property.kind else {
            return KeyPathResolver.value(of: property, in: row).text.map { .string($0) } ?? .null
        }
        do { return JSONValue(OutboundJSON(try row.sentText(property)).bytes) ?? .null } catch {
            throw ServiceCallMistake("\(row.model.modelName).\(property.name) is \(error.value), which can't be sent")
        }
    }

    func wholeJSON(as formats: ValueFormats) throws(ServiceCallMistake) -> JSONValue {
        let place = ArgumentPlace(index: 0, property: [])
        guard case .object(let object, let schema) = self else { return try json(at: place, as: formats) }
        do throws(APIError) {
            let properties = object.knownProperties(with: object.unsentProperties)
            let outbound = try OutboundObject(object, sending: properties, for: .create, in: schema)
            return JSONValue(outbound.body(in: [])) ?? .null
        } catch {
            throw ServiceCallMistake("\(error)")
        }
    }

    private var kind: String {
        switch self {
        case .missing: "nothing"
        case .value(let value): "a \(type(of: value))"
        case .json: "a value with members"
        case .object(let object, _): "a \(object.model.modelName)"
        case .body: "data"
        case .file: "a file"
        case .parts: "parts of a form"
        case .list: "a list"
        }
    }
}

/// Leaves the method's name to the caller.
struct ServiceCallMistake: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
