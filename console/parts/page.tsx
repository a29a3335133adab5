/** What every page has: its title in the window and as its heading, which gets the focus when it is opened. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface PageProps {
  /** Nothing personal: titles stand in the browser's history. */
  readonly title: string;
  /** In place of the title, where a person may be named. */
  readonly heading?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Page({ title, heading, children }: PageProps) {
  const element = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · audience-ledger`;
  }, [title]);
  // So that a screen reader says where one is, and the Tab key goes on from there.
  useEffect(() => element.current?.focus({ preventScroll: true }), []);
  return (
    <>
      <h1 ref={element} tabIndex={-1}>
        {heading ?? title}
      </h1>
      {children}
    </>
  );
}
