/**
 * The element of a text that grows. React replaces the characters of the last block with each new piece of text, and a
 * browser then drops a selection in them. This component keeps the selection on the same words.
 */
import { Component, createRef, type ReactNode } from "react";

/** The selection before an update, if one of its ends is in the last block. */
interface Held {
  readonly block: number;
  readonly anchor: End;
  readonly focus: End;
}

/** One end of a selection. `before`: the characters of the last block before it, if it is in that block. */
interface End {
  readonly node: Node;
  readonly offset: number;
  readonly before?: number;
}

export class HeldSelection extends Component<{ children: ReactNode }> {
  private readonly place = createRef<HTMLDivElement>();

  override getSnapshotBeforeUpdate(): Held | null {
    const blocks = this.place.current?.children;
    const selection = getSelection();
    const block = blocks?.item(blocks.length - 1);
    if (!blocks || !block || !selection?.anchorNode || !selection.focusNode) return null;
    const anchor = endOf(selection.anchorNode, selection.anchorOffset, block);
    const focus = endOf(selection.focusNode, selection.focusOffset, block);
    return anchor.before === undefined && focus.before === undefined
      ? null
      : { block: blocks.length - 1, anchor, focus };
  }

  override componentDidUpdate(_props: unknown, _state: unknown, held: Held | null): void {
    const block = held && this.place.current?.children.item(held.block);
    const selection = getSelection();
    if (!block || !selection) return;
    const { anchor, focus } = held;
    const stays =
      isAt(anchor, selection.anchorNode, selection.anchorOffset) &&
      isAt(focus, selection.focusNode, selection.focusOffset);
    if (!stays) selection.setBaseAndExtent(...placeOf(anchor, block), ...placeOf(focus, block));
  }

  override render(): ReactNode {
    return (
      <div ref={this.place} className="md">
        {this.props.children}
      </div>
    );
  }
}

function endOf(node: Node, offset: number, block: Element): End {
  if (!block.contains(node)) return { node, offset };
  const range = document.createRange();
  range.setStart(block, 0);
  range.setEnd(node, offset);
  return { node, offset, before: range.toString().length };
}

const isAt = (end: End, node: Node | null, offset: number): boolean =>
  end.node.isConnected && end.node === node && end.offset === offset;

function placeOf({ node, offset, before }: End, block: Element): [Node, number] {
  if (before === undefined) return [node, offset];
  const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  let left = before;
  while (texts.nextNode()) {
    const text = texts.currentNode as Text;
    if (left <= text.length) return [text, left];
    left -= text.length;
  }
  return [block, block.childNodes.length];
}
