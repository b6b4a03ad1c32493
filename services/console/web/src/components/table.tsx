import type { ReactElement, ReactNode } from 'react';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers stand to the right. */
  readonly number?: boolean;
  /** Its name is read out but not shown, as above buttons. */
  readonly unnamed?: boolean;
}

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
}

/**
 * On a narrow screen each row becomes a card, whose cells are named by their column. The roles are written out, because
 * browsers drop those of table elements that are laid out as blocks.
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
                  className={number ? 'number' : unnamed ? 'acts' : undefined}
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
