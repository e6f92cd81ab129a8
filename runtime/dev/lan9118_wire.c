/*
 * LAN9118: the cable. Frames of the guest go to the network or back, and frames for the guest take
 * as long as on a wire of 100 Mbit/s.
 *
 * Bounds      frames on the wire are a frame_queue
 */
#include "runtime/dev/lan9118.h"

#define NS_PER_BYTE 80u /* at 100 Mbit/s */
#define WIRE_EXTRA  24u /* bytes: preamble, checksum, gap */

void lan_wire_resume(struct lan9118 *dev)
{
    size_t len = dev->waiting.first ? dev->waiting.first->len + WIRE_EXTRA : 0;

    if (len && !event_pending(&dev->arrival))
        clock_add(dev->env->clock, &dev->arrival, clock_now(dev->env->clock) + len * NS_PER_BYTE);
}

void lan_wire_receive(void *opaque, const uint8_t *bytes, size_t len)
{
    struct lan9118 *dev = opaque;

    if (!frame_queue_push(&dev->waiting, bytes, len)) {
        dev->rx_drop++;
        dev->dropped++;
        return;
    }
    lan_wire_resume(dev);
}

void lan_wire_send(struct lan9118 *dev, const uint8_t *bytes, size_t len)
{
    dev->sent++;
    if (dev->phy[LAN_PHY_CONTROL] & LAN_PHY_LOOPBACK || dev->mac[LAN_MAC_CR] & LAN_MAC_LOOP)
        lan_wire_receive(dev, bytes, len);
    else if (dev->env->net)
        dev->env->net->send(dev->env->net, bytes, len);
}
