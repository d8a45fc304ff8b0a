/// Which properties of a row somebody has said something of: the server, or, of what no reply confirms by itself, an
/// edit here. The others only have their defaults: they are never sent as what the object has.
///
/// A row keeps it in the columns of ``ModelSchema/saidColumns``, each of which has a bit for 64 of the properties.
struct SaidMask: Equatable {
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

    /// What is not in the other.
    func subtracting(_ other: SaidMask) -> SaidMask {
        SaidMask(columns: columns.subtracting(other.columns), lists: lists.subtracting(other.lists))
    }

    /// What the columns have that keep it, in their order.
    @inline(__always)
    subscript(word: Int, of model: ModelSchema) -> Int64 {
        get { word < model.saidWords ? columns[word: word] : lists[word: word - model.saidWords] }
        set {
            if word < model.saidWords {
                columns[word: word] = newValue
            } else {
                lists[word: word - model.saidWords] = newValue
            }
        }
    }
}
