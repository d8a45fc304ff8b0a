/// What was read of a response, on its way into the type that takes it.
@_documentation(visibility: internal)
public struct ResponseValues {
    let record: ResponseRecord
    let context: ObjectContext

    /// What a part of the type took; what it is by default when the body had nothing for it.
    public subscript<Value>(part: ResponsePart<Value>) -> Value { part.read(self) }

    /// Of a part that can be none, which the compiler has said.
    public subscript<Value>(part: MisdeclaredPart<Value>) -> Value { switch part.never {} }

    func objects<M: Model>(_ type: M.Type, _ part: Int) -> [M] {
        context.objects(type, of: record.objects[part] ?? [])
    }

    func bodies<B: ResponseBody>(_ type: B.Type, _ part: Int) -> [B] {
        (record.bodies[part] ?? []).map { B(ResponseValues(record: $0, context: context)) }
    }

    var empty: ResponseValues { ResponseValues(record: ResponseRecord(), context: context) }
}
