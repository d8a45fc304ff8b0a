/// The properties with a value that the server has sent or accepted. In embedded objects, and for lists of new objects,
/// local values count too. Other properties have their default, which is never sent.
///
/// Stored in ``ModelSchema/loadedColumns``, each with bits for 64 properties.
struct LoadedMask: Equatable {
    /// By ``ColumnIndex``.
    var columns = ColumnMask()
    /// By ``ModelSchema/number(ofList:)``.
    var lists = ColumnMask()

    var isEmpty: Bool { columns.isEmpty && lists.isEmpty }

    func contains(_ property: PropertyIndex, of model: ModelSchema) -> Bool {
        if let list = model.number(ofList: property) { return lists.contains(list) }
        return model.column(of: property).map { columns.contains($0.index.rawValue) } ?? false
    }

    mutating func insert(_ property: PropertyIndex, of model: ModelSchema) {
        if let list = model.number(ofList: property) {
            lists.insert(list)
        } else if let column = model.column(of: property) {
            columns.insert(column.index.rawValue)
        }
    }

    func subtracting(_ other: LoadedMask) -> LoadedMask {
        LoadedMask(columns: columns.subtracting(other.columns), lists: lists.subtracting(other.lists))
    }

    /// A word as it is stored.
    @inline(__always)
    subscript(word: Int, of model: ModelSchema) -> Int64 {
        get { word < model.loadedWords ? columns[word: word] : lists[word: word - model.loadedWords] }
        set {
            if word < model.loadedWords {
                columns[word: word] = newValue
            } else {
                lists[word: word - model.loadedWords] = newValue
            }
        }
    }
}
