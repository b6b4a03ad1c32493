import type { ReactElement, ReactNode } from 'react';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  /** Whether the cells are numbers. Numbers are aligned to the right. */
  readonly number?: boolean;
  /** Whether the name is only for screen readers, as in a column of buttons. */
  readonly unnamed?: boolean;
}

interface CellKind {
  readonly number: boolean | undefined;
  readonly unnamed: boolean | undefined;
}

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
}

function cellClass({ number = false, unnamed = false }: CellKind): string | undefined {
  if (number) return 'number';
  return unnamed ? 'acts' : undefined;
}

/**
 * A table. On a narrow screen, each row is shown as a card, in which each cell has the name of its column. The roles
 * are explicit, because browsers drop the roles of table elements that CSS lays out as blocks.
 */
export function Table<Row>({ label, columns, rows, rowKey }: TableProps<Row>): ReactElement {
  return (
    <div className="table-frame">
      <table role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ name, number, unnamed }) => (
              <th
                key={name}
                scope="col"
                role="columnheader"
                className={number ? 'number' : undefined}
              >
                {unnamed ? <span className="for-screen-readers">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={rowKey(row)} role="row">
              {columns.map(({ name, number, unnamed, cell }) => (
                <td
                  key={name}
                  role="cell"
                  className={cellClass({ number, unnamed })}
                  data-column={unnamed ? undefined : name}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
