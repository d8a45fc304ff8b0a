/// The values of a response, for the initializer of a response type.
@_documentation(visibility: internal)
public struct ResponseValues {
    let record: ResponseRecord
    let context: ObjectContext

    /// The value of a part; its default if the body has none.
    public subscript<Value>(part: ResponsePart<Value>) -> Value { part.read(self) }

    /// The value of a misdeclared part, which the compiler rejects.
    public subscript<Value>(part: MisdeclaredPart<Value>) -> Value { switch part.never {} }

    func objects<M: Model>(_ type: M.Type, _ part: Int) -> [M] {
        context.objects(type, of: record.objects[part] ?? [])
    }

    func choices<C: ModelChoice>(_ type: C.Type, _ part: Int) -> [C] {
        (record.mixed[part] ?? []).compactMap { record in
            context.object(for: record).flatMap { $0._object.isDeleted ? nil : C($0) }
        }
    }

    func bodies<B: ResponseBody>(_ type: B.Type, _ part: Int) -> [B] {
        (record.bodies[part] ?? []).map { B(ResponseValues(record: $0, context: context)) }
    }

    var empty: ResponseValues { ResponseValues(record: ResponseRecord(), context: context) }
}
