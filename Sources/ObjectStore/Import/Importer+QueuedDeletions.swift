import JSONBytes

extension Importer {
    /// Imports the reply to a change of an object that was deleted locally since. The object stays deleted. If the
    /// reply is to its creation, its identity completes a deletion that waits for that outcome.
    ///
    /// - Throws: ``StoreError/rejected(_:)`` if the reply has no identity.
    mutating func confirmDeleted(_ record: RecordID, _ bytes: UnsafeRawBufferPointer) throws {
        guard request.isCreation, let rows = try writer.undecidedDeletion(of: record) else { return }
        let model = schema.model(of: rows, in: record.table)
        let body = unsafe Array(bytes)
        let attributes = model.properties.filter { $0.column != nil && $0.link == nil }.map(\.index)
        var reader = ObjectReader(schema)
        var paths = [request.keyPath]
        if schema.style(of: model).document == .jsonAPI { paths.insert(["data"], at: 0) }
        for path in paths {
            guard let values = try reader.attributes(attributes, in: body, at: path, of: model) else { continue }
            if try writer.settleDeletion(of: record, by: values, &progress) { return }
        }
        throw StoreError.rejected(outcome.report)
    }
}
