/// What was read of a response, on its way into the type that takes it.
public struct ResponseValues {
    let record: ResponseRecord
    let context: ObjectContext

    /// What a part of the type took; what it is by default where the body had nothing for it.
    public subscript<Value>(part: ResponsePart<Value>) -> Value { part.read(self) }

    func objects<M: Model>(_ type: M.Type, _ part: Int) -> [M] {
        guard let table = context.schema.table(for: type)?.index else { return [] }
        return context.objects(type, table, record.objects[part] ?? [])
    }

    func bodies<B: ResponseBody>(_ type: B.Type, _ part: Int) -> [B] {
        (record.bodies[part] ?? []).map { B(ResponseValues(record: $0, context: context)) }
    }

    var empty: ResponseValues { ResponseValues(record: ResponseRecord(), context: context) }
}

/// The same as values that may travel, by the index of the part. What a part found nothing for is not there.
package struct ResponseRecord: Sendable {
    var values: [Int: StoredValue] = [:]
    /// Local keys.
    var objects: [Int: [Int64]] = [:]
    var bodies: [Int: [ResponseRecord]] = [:]

    func has(_ part: Int) -> Bool { values[part] != nil || objects[part] != nil || bodies[part] != nil }
}
