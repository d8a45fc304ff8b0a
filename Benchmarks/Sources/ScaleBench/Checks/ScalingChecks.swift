/// The checks. Add a row for each new path through the library with a cost that could depend on the amount of data.
enum ScalingChecks {
    static let all = making + saving + deleting + lists + editing + importing + paging + querying + watching
}
