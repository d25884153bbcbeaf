// Copies the address of something, to be sent or kept. Who follows it sees it only where their own
// rights let them.
import { useState } from "react";
import { useWardMessages } from "../../../i18n";

interface Props {
  path: string;
  label?: string; // else "Copy link": no two buttons of a page have one name
}

export function CopyLink({ path, label }: Props) {
  const m = useWardMessages();
  const [copied, setCopied] = useState("");
  const address = new URL(path, location.origin).href;
  const copy = (): void => void navigator.clipboard?.writeText(address).then(() => setCopied(address));
  return (
    <button type="button" className="link" onClick={copy}>
      <span className="in-turn" data-other={m.made.linkCopied}>
        {copied === address ? m.made.linkCopied : (label ?? m.made.copyLink)}
      </span>
    </button>
  );
}
