/** Something that is shown once, to be copied. */
import { useId, useState } from 'preact/hooks';

export function Secret({ label, value }: { readonly label: string; readonly value: string }) {
  const id = useId();
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    // Browsers have it on secure pages and on this machine only.
    await navigator.clipboard.writeText(value);
    setCopied(true);
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="secret">
        <input id={id} readOnly value={value} onFocus={({ currentTarget }) => currentTarget.select()} />
        {'clipboard' in navigator && (
          <button type="button" onClick={() => void copy()}>
            Copy
          </button>
        )}
      </div>
      <p class="hint" role="status">
        {isCopied ? 'Copied.' : 'Shown this once: copy it now.'}
      </p>
    </div>
  );
}
